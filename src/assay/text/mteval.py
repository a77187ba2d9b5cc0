r"""The mteval-v13a tokenizer, identical to sacrebleu's (Post 2018), in one pass over the bytes.

sacrebleu deletes `<skipped>` and a hyphen before a newline, unescapes four entities, inserts spaces with four
regular expressions in turn, and splits at white space:

    1. around each of the symbols  { | } ~ [ \ ] ^ _ ` ! " # $ % & ( ) * + : ; < = > ? @ /
    2. around a period or comma after a non-digit     ([^0-9])([.,])
    3. around a period or comma before a non-digit    ([.,])([^0-9])
    4. around a hyphen after a digit                  ([0-9])(-)

Matches of one rule do not overlap, which matters: in `a..5` rule 2 splits off the first period and consumes it, so
the second one, followed by a digit, stays with the digit. A single pass must remember two things about the previous
byte: whether it was a digit, and whether it was a period or comma split off by rule 2. (Rule 3 never consumes a
period or comma: of two in a row, rule 2 splits off the second if it left the first alone.)
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.text.spaces import MAY_START_SPACE, space_width
from assay.text.strings import Strings
from assay.text.tokens import Tokens, split_with

REWRITES = (
    ("<skipped>", ""),
    ("-\n", ""),
    ("&quot;", '"'),
    ("&amp;", "&"),  # before the next two: &amp;lt; becomes <
    ("&lt;", "<"),
    ("&gt;", ">"),
)

LETTER, SYMBOL, STOP, HYPHEN, DIGIT, MAYBE_SPACE = range(6)


def mteval_13a(texts: Strings) -> Tokens:
    """Tokenize as mteval-v13a and sacrebleu's `13a` do."""
    return split_with(texts, split_13a, _rewrite)


def _rewrite(texts: Strings) -> Strings:
    for old, new in REWRITES:
        texts = texts.replace(old, new)
    return texts


def _kinds() -> NDArray[np.uint8]:
    kinds = np.full(256, LETTER, np.uint8)
    for byte in b'{|}~[\\]^_`!"#$%&()*+:;<=>?@/':
        kinds[byte] = SYMBOL
    kinds[ord(".")] = kinds[ord(",")] = STOP
    kinds[ord("-")] = HYPHEN
    kinds[ord("0") : ord("9") + 1] = DIGIT
    kinds[MAY_START_SPACE] = MAYBE_SPACE
    return kinds


KINDS = _kinds()


@jit
def split_13a(
    data: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Find the tokens of rules 1 to 4 in rewritten texts."""
    starts = np.empty(len(data), np.int64)
    ends = np.empty(len(data), np.int64)
    counts = np.empty(len(offsets) - 1, np.int64)
    n = 0
    for text in range(len(counts)):
        before = n
        at = offsets[text]
        end = offsets[text + 1]
        begin = at  # start of the current token; begin == at: none
        after_digit = False
        after_rule_2 = False
        while at < end:
            kind = KINDS[data[at]]
            if kind == LETTER:
                after_digit = after_rule_2 = False
                at += 1
                continue
            width = 1
            alone = False
            space = False
            rule_2 = False
            if kind == SYMBOL:
                alone = True
            elif kind == STOP:
                rule_2 = not after_digit and not after_rule_2
                alone = rule_2 or at + 1 == end or KINDS[data[at + 1]] != DIGIT
            elif kind == HYPHEN:
                alone = after_digit
            elif kind == MAYBE_SPACE:
                space_bytes = space_width(data, at, end)
                if space_bytes > 0:
                    space = True
                    width = space_bytes
            after_digit = kind == DIGIT
            after_rule_2 = rule_2
            if alone or space:
                if at > begin:
                    starts[n] = begin
                    ends[n] = at
                    n += 1
                if alone:
                    starts[n] = at
                    ends[n] = at + 1
                    n += 1
                begin = at + width
            at += width
        if end > begin:
            starts[n] = begin
            ends[n] = end
            n += 1
        counts[text] = n - before
    return starts[:n], ends[:n], counts
