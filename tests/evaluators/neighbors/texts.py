"""Made-up judged texts: a text is good as far as its words are."""

import numpy as np

WORDS = "storm river quiet lamp garden copper winter bridge paper silver engine meadow".split()
WORTH = dict(zip(WORDS, np.linspace(0, 1, len(WORDS)), strict=True))


def made_up(n: int, seed: int = 0, noise: float = 0.05) -> tuple[list[str], np.ndarray]:
    """Texts of 8 words around a topic, and their quality."""
    rng = np.random.default_rng(seed)
    texts, quality = [], []
    for _ in range(n):
        topic = rng.integers(len(WORDS) - 3)
        words = rng.choice(WORDS[topic : topic + 4], 8)
        texts.append(" ".join(words))
        quality.append(np.clip(np.mean([WORTH[word] for word in words]) + rng.normal(0, noise), 0, 1))
    return texts, np.array(quality)


def records(n: int, seed: int = 0, systems: int = 2) -> list[dict]:
    """Flat records with three annotators who answer 0 to 10."""
    rng = np.random.default_rng(seed)
    texts, quality = made_up(n, seed)
    return [
        {
            "id": f"o{row}",
            "item": f"i{row // systems}",
            "context": f"context {row // systems}",
            "system": f"s{row % systems}",
            "text": text,
            "grade": float(worth),
            "judgments": [
                {
                    "annotator": f"a{who}",
                    "criterion": "quality",
                    "value": int(np.clip(round(10 * worth + shift), 0, 10)),
                }
                for who, shift in enumerate(rng.integers(-1, 2, 3).tolist())
            ],
        }
        for row, (text, worth) in enumerate(zip(texts, quality, strict=True))
    ]
