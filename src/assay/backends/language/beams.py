"""Beam search: the likeliest text that a search of bounded width finds, and always the same one."""

from __future__ import annotations

from collections.abc import Sequence

from assay.backends.language.drawing import checked_prompt
from assay.backends.language.encoding import TextEncoder
from assay.backends.language.forward import Forward
from assay.backends.language.protocol import Drawn, ToSample


def beam_texts(forward: Forward, encoder: TextEncoder, wanted: Sequence[ToSample]) -> list[Drawn]:
    """The best text of a beam search for each request, by the sum of log-probabilities, without a reward for length.

    The search says one text for a prompt and no other: that one has probability 1.
    """
    return [_best(forward, encoder, one) for one in wanted]


def _best(forward: Forward, encoder: TextEncoder, one: ToSample) -> Drawn:
    import torch

    prompt, end = checked_prompt(forward, encoder, one), encoder.end(one.end)
    numbers = torch.tensor([prompt])
    with torch.inference_mode():
        sequences = forward.network.generate(
            numbers,
            attention_mask=torch.ones_like(numbers),
            do_sample=False,
            num_beams=one.beams,
            length_penalty=0.0,
            max_new_tokens=one.max_tokens,
            eos_token_id=list(end) or None,
            pad_token_id=end[0] if end else 0,
        )
    tokens = tuple(sequences[0, len(prompt) :].tolist())
    stop = next((place for place, token in enumerate(tokens) if token in end), None)
    ours = tokens[:stop]
    return Drawn(encoder.decode(ours), 0.0, len(ours), "length" if stop is None else "end", 0.0)
