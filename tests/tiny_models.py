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
def tiny_encoder() -> Path:
    """Save a two-layer sentence encoder with the tokenizer of MiniLM and return its folder."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    from assay.io.model_folders import model_folder

    torch.manual_seed(1)
    place = Path(mkdtemp(prefix="assay-tiny-"))
    AutoTokenizer.from_pretrained(model_folder("minilm")).save_pretrained(place)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=30522, **sizes)).save_pretrained(place)
    return place
