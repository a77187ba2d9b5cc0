"""sacrebleu's other tokenizers (`intl`, `zh`, `char`, `ja-mecab` ...), if sacrebleu is installed."""

from collections.abc import Callable
from pathlib import Path

from assay.errors import EvaluatorError, MissingExtra
from assay.text.plain import whitespace
from assay.text.strings import Strings
from assay.text.tokens import Tokens

# Tercom's normalizations as in sacrebleu's TER; lowercasing is a separate step here (`lower+tercom`).
TERCOM: dict[str, dict[str, bool]] = {
    "tercom": {"normalized": True},
    "tercom-asian": {"normalized": True, "asian_support": True},
    "tercom-no-punct": {"normalized": True, "no_punct": True},
    "tercom-no-punct-asian": {"normalized": True, "no_punct": True, "asian_support": True},
}
NAMES = ("char", "flores101", "flores200", "intl", "ja-mecab", "ko-mecab", "spBLEU-1K", *TERCOM, "zh")


def tokenize_with_sacrebleu(texts: Strings, name: str) -> Tokens:
    """Tokenize text by text in Python, then split at white space as sacrebleu does."""
    tokenizer = _tokenizer(name)
    return whitespace(Strings.of(tokenizer(text) for text in texts))


def _tokenizer(name: str) -> Callable[[str], str]:
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
        from sacrebleu.utils import SACREBLEU_DIR
    except ImportError:
        raise MissingExtra(f"The tokenizer {name!r}", "sacrebleu", "tokenizers") from None
    if name in TERCOM:
        tercom: Callable[[str], str] = TercomTokenizer(**TERCOM[name], case_sensitive=True)
        return tercom
    if name in SPM_MODELS:  # sacrebleu would download the model without asking
        url = SPM_MODELS[name]["url"]
        model = Path(SACREBLEU_DIR, "models", Path(url).name)
        if not model.exists():
            raise EvaluatorError(
                f"The tokenizer {name!r} needs the model {model}, which does not exist, and nothing is "
                f"downloaded automatically. Download it from {url} to that path."
            )
    try:
        tokenizer: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise EvaluatorError(f"sacrebleu cannot create its tokenizer {name!r}: {reason}") from error
    return tokenizer
