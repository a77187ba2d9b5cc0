"""A `.gguf` file as a Hugging Face folder in float32, converted once and kept by content.

llama.cpp does not compute the dequantized model: its log-probabilities are about .08 nats per token away from it, and
two builds differ from each other as much. So the weights are dequantized, which is exact, and run by torch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, MissingExtra, pass_on_interrupt
from assay.io.atomic import replacing_folder
from assay.io.cache import cache_folder
from assay.io.paths import existing_file
from assay.io.results import make_folder

VERSION = 1
"""Part of the name of a converted folder: raise it where the conversion changes."""

# Tensor names of the llama architecture: GGUF to transformers.
TOP = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
OF_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
# How a byte-level tokenizer splits texts before it merges: whether digits stand alone.
SINGLE_DIGITS = {"smollm": True, "gpt-2": False, "default": False}
CONTROL = 3  # the token type of special tokens


def gguf_hash(path: Path) -> str:
    """The content hash of a file, 16 hex digits."""
    with existing_file(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def converted_folder(content: str) -> Path:
    """Where the folder of a file with this content is kept, if it was converted."""
    return cache_folder() / "models" / f"gguf{VERSION}-{content}"


def folder_of_gguf(path: Path) -> Path:
    """Convert a file, unless it was converted before, and return the folder."""
    folder = converted_folder(gguf_hash(path))
    if folder.is_dir():
        return folder
    reader = _open(path)
    try:
        fields = {name: field.contents() for name, field in reader.fields.items()}
        config, tokenizer, settings = _config(fields), _tokenizer(fields), _tokenizer_config(fields)
        weights = dict(_weights(reader, fields))
    except _Unsupported as unsupported:
        raise DataError(
            f"{path}: {unsupported}. Give the model as a Hugging Face folder, with config.json and safetensors."
        ) from None
    except (KeyError, IndexError, ValueError) as error:
        raise DataError(f"{path}: the file is damaged or incomplete ({error}). Get it again.") from None
    config["tie_word_embeddings"] = "lm_head.weight" not in weights
    make_folder(folder.parent)
    from safetensors.numpy import save_file

    try:
        with replacing_folder(folder) as temporary:
            for name, content in (
                ("config.json", config),
                ("tokenizer.json", tokenizer),
                ("tokenizer_config.json", settings),
                ("generation_config.json", {"eos_token_id": config["eos_token_id"]}),
            ):
                (temporary / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
            save_file(weights, temporary / "model.safetensors", metadata={"format": "pt"})
    except DataError:
        if not folder.is_dir():  # else another process has converted the same file meanwhile
            raise
    return folder


class _Unsupported(Exception):
    """What this conversion does not know."""


def _open(path: Path) -> Any:
    try:
        import gguf
    except ImportError as error:
        raise MissingExtra("A .gguf file", error.name or "gguf", "models") from error
    try:
        return gguf.GGUFReader(existing_file(path))
    except Exception as error:
        pass_on_interrupt(error)
        raise DataError(f"{path}: not a GGUF file, or damaged ({' '.join(str(error).split())[:100]}).") from None


def _config(fields: dict[str, Any]) -> dict[str, Any]:
    kind = fields["general.architecture"]
    if kind != "llama":
        raise _Unsupported(f"the architecture {kind!r} cannot be converted, only llama can")
    if any(name.startswith("llama.rope.scaling") for name in fields) or "llama.expert_count" in fields:
        raise _Unsupported("scaled positions and mixtures of experts cannot be converted")
    heads = fields["llama.attention.head_count"]
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": len(fields["tokenizer.ggml.tokens"]),
        "hidden_size": fields["llama.embedding_length"],
        "intermediate_size": fields["llama.feed_forward_length"],
        "num_hidden_layers": fields["llama.block_count"],
        "num_attention_heads": heads,
        "num_key_value_heads": fields.get("llama.attention.head_count_kv", heads),
        "max_position_embeddings": fields["llama.context_length"],
        "rope_theta": float(fields.get("llama.rope.freq_base", 10000.0)),
        "rms_norm_eps": float(np.float32(fields["llama.attention.layer_norm_rms_epsilon"])),
        "bos_token_id": fields.get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": fields["tokenizer.ggml.eos_token_id"],
        "dtype": "float32",
    }


def _weights(reader: Any, fields: dict[str, Any]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    from gguf.quants import dequantize

    heads = fields["llama.attention.head_count"]
    kv_heads = fields.get("llama.attention.head_count_kv", heads)
    for tensor in reader.tensors:
        *place, kind, leaf = tensor.name.split(".")
        values = np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), np.float32)
        if not place and kind in TOP:
            name = TOP[kind]
        elif len(place) == 2 and kind in OF_LAYER:
            name = f"model.layers.{place[1]}.{OF_LAYER[kind]}"
            if kind in ("attn_q", "attn_k"):
                values = _unpermuted(values, heads if kind == "attn_q" else kv_heads)
        else:
            raise _Unsupported(f"the tensor {tensor.name!r} is not known")
        yield f"{name}.{leaf}", values


def _unpermuted(values: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """GGUF interleaves the two halves of each head's rotary dimensions; transformers has one after the other."""
    halves = values.reshape(heads, values.shape[0] // heads // 2, 2, *values.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(values.shape))


def _tokenizer(fields: dict[str, Any]) -> dict[str, Any]:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    kind, split = fields["tokenizer.ggml.model"], fields.get("tokenizer.ggml.pre", "default")
    if kind != "gpt2" or split not in SINGLE_DIGITS:
        raise _Unsupported(f"the tokenizer {kind!r} with {split!r} cannot be converted, only byte-level ones can")
    tokens = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, merges))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    digits = [pre_tokenizers.Digits(individual_digits=True)] if SINGLE_DIGITS[split] else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*digits, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    special = [
        token for token, kind in zip(tokens, fields["tokenizer.ggml.token_type"], strict=True) if kind == CONTROL
    ]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
    return dict(json.loads(tokenizer.to_str()))


def _tokenizer_config(fields: dict[str, Any]) -> dict[str, Any]:
    tokens = fields["tokenizer.ggml.tokens"]
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": fields["llama.context_length"],
        "clean_up_tokenization_spaces": False,
    }
    for name in ("bos", "eos", "padding", "unknown"):
        number = fields.get(f"tokenizer.ggml.{name}_token_id")
        if number is not None:
            config[{"padding": "pad_token", "unknown": "unk_token"}.get(name, f"{name}_token")] = tokens[number]
    if "tokenizer.chat_template" in fields:
        config["chat_template"] = fields["tokenizer.chat_template"]
    return config
