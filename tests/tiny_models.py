"""Small models with random weights, for tests that need a model folder but no meaningful output."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp


@cache
def tiny_cross_encoder(n_outputs: int = 1, seed: int = 0) -> Path:
    """Save a two-layer cross-encoder with the tokenizer of MiniLM and return its folder."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    from assay.io.model_folders import model_folder

    torch.manual_seed(seed)
    place = Path(mkdtemp(prefix="assay-tiny-"))
    AutoTokenizer.from_pretrained(model_folder("minilm")).save_pretrained(place)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertForSequenceClassification(BertConfig(vocab_size=30522, num_labels=n_outputs, **sizes)).save_pretrained(place)
    return place


@cache
def tiny_encoder(seed: int = 1) -> Path:
    """Save a two-layer sentence encoder with the tokenizer of MiniLM and return its folder."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    from assay.io.model_folders import model_folder

    torch.manual_seed(seed)
    place = Path(mkdtemp(prefix="assay-tiny-"))
    AutoTokenizer.from_pretrained(model_folder("minilm")).save_pretrained(place)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=30522, **sizes)).save_pretrained(place)
    return place


def save_tiny_language_model(
    folder: Path, letters: str = "abcd", *, kind: str = "llama", seed: int = 0, spread: float = 3.0, window: int = 64
) -> Path:
    """Save a two-layer causal model whose tokens are letters, a beginning and an end of text.

    `spread` multiplies the logits, so that texts differ in probability as those of a trained model do.
    """
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    vocabulary = {token: number for number, token in enumerate(["<s>", "</s>", *letters])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=letters[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.decoder = decoders.Fuse()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", model_max_length=window
    )
    fast.save_pretrained(folder)
    torch.manual_seed(seed)
    ends = {"bos_token_id": 0, "eos_token_id": 1}
    if kind == "llama":
        sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
        network = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(vocabulary), max_position_embeddings=window, tie_word_embeddings=False, **sizes, **ends
            )
        )
    else:
        sizes = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": window}
        network = GPT2LMHeadModel(GPT2Config(vocab_size=len(vocabulary), tie_word_embeddings=False, **sizes, **ends))
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.mul_(spread)
    network.save_pretrained(folder)
    return folder


@cache
def tiny_judge(seed: int = 0) -> Path:
    """Return the folder of a tiny causal model that says nothing but 1 to 5, A, B and a few letters."""
    place = Path(mkdtemp(prefix="assay-tiny-judge-"))
    return save_tiny_language_model(place, "12345ABtca ", seed=seed, spread=12.0, window=4096)


@cache
def tiny_corpus(text: str) -> Path:
    """Return a file with a text."""
    place = Path(mkdtemp(prefix="assay-tiny-corpus-")) / "texts.txt"
    place.write_text(text, encoding="utf-8")
    return place


@cache
def tiny_language_model(
    letters: str = "abcd", kind: str = "llama", spread: float = 3.0, window: int = 64, seed: int = 0
) -> Path:
    """Return the folder of a tiny causal model; see `save_tiny_language_model`."""
    place = Path(mkdtemp(prefix="assay-tiny-"))
    return save_tiny_language_model(place, letters, kind=kind, spread=spread, window=window, seed=seed)
