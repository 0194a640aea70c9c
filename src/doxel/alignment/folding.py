"""Fold texts for comparison: letters and digits only, with the offset of each in the source.

Copies of a text differ in case, accents, Unicode forms, quotes, dashes, ligatures, white space, and the
mark-up around words.  The folded form keeps none of these:

1. HTML tags and comments and the addresses of Markdown links are skipped; character references
   (``&amp;``) are decoded.
2. Characters are decomposed (NFKD) and case-folded; combining marks are dropped.
3. Only letters and digits remain.

Every folded character keeps the offset and the length of its source, so that a match in folded text is a
span of the source.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from doxel.spans import Ints

__all__ = ["FoldedText", "encode_text", "fold", "fold_inside", "is_mark", "replace_markup"]

_CODE_POINTS = 0x110000
_BLOCK = 1 << 16  # characters folded together, which bounds the memory for temporary arrays
_SPACE = 0x20

_MARKUP = re.compile(
    r"<!--.*?-->"
    r"|</?[A-Za-z][A-Za-z0-9:-]*+(?:\s[^<>]*+)?/?>"
    r"|(?<=\])\((?:[^()\s]|\([^()\s]*+\))*+(?:\s+\"[^\"\n]*+\")?\)"
    r"|&(?P<entity>#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});",
    re.DOTALL,
)
# The end of a tag or address at the beginning of a text, and the beginning of one at its end.
_CUT_BEGINNING = re.compile(r"[\s>*_]*+[^()\s]*\)|[^<>]+>")
_CUT_END = re.compile(r"(?<=\])\([^()\s]*+[\s.\u2026*_]*+\Z|<[A-Za-z/!][^<>]*+\Z")
_MAY_HOLD_MARKUP = re.compile(r"[<&]|\]\(")

Codes = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class FoldedText:
    r"""A folded text, and where each of its characters is in the source.

    >>> folded = fold("A <b>caf\u00e9</b>!")
    >>> folded.text, folded.start.tolist(), folded.end(4)
    ('acafe', [0, 5, 6, 7, 8], 9)
    """

    text: str
    start: npt.NDArray[np.int32]
    width: npt.NDArray[np.uint8]

    def end(self, index: int) -> int:
        """Return the source offset after a folded character."""
        return int(self.start[index]) + int(self.width[index])


def is_mark(character: str) -> bool:
    """Return whether a character is a combining mark, which belongs to the character before it."""
    return unicodedata.category(character).startswith("M")


def replace_markup(text: str) -> str:
    """Return a text without tags and addresses of links, and with decoded character references.

    >>> replace_markup("<p>&lt;[3](http://a.b/c)")
    '<[3]'
    """
    return _MARKUP.sub(
        lambda match: (_decode_reference(match["entity"]) or match[0]) if match["entity"] else "", text
    )


class _FoldingTable:
    """The folded form of every code point, computed when the code point first occurs.

    ``count`` is the number of folded characters of a code point, -1 if it is not known yet; ``first`` is its
    first folded character, or for longer forms their index in ``long_forms``.
    """

    def __init__(self) -> None:
        self.count = np.full(_CODE_POINTS, -1, dtype=np.int8)
        self.first = np.zeros(_CODE_POINTS, dtype=np.uint32)
        self.long_forms: dict[int, Codes] = {}

    def learn(self, codes: Codes) -> None:
        """Compute the folded forms of the code points that have not occurred before."""
        for code in np.unique(codes[self.count[codes] < 0]).tolist():
            form = _fold_character(chr(code))
            self.count[code] = len(form)
            if form:
                self.first[code] = ord(form[0])
            if len(form) > 1:
                self.long_forms[code] = encode_text(form)


def _fold_character(character: str) -> str:
    """Return the letters and digits of one character, decomposed and case-folded."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(part for part in folded if unicodedata.category(part)[0] in "LN")


def encode_text(text: str) -> Codes:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _decode(codes: Codes) -> str:
    return codes.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _get_table() -> _FoldingTable:
    """Return the folding table, which only texts need: filling it takes as long as reading a small run."""
    return _FoldingTable()


def fold(text: str) -> FoldedText:
    r"""Return the folded form of a text.

    >>> fold("The \ufb01rst \u201cCAF\u00c9\u201d &amp; [more](http://a.b/c) ...").text
    'thefirstcafemore'
    """
    codes, references = _blank_markup(text)
    texts, starts, widths = [], [], []
    for begin in range(0, len(codes), _BLOCK):
        folded, place = _fold_block(codes[begin : begin + _BLOCK])
        start = (place + begin).astype(np.int32)
        width = np.ones(len(start), dtype=np.uint8)
        if len(references):
            row = np.minimum(np.searchsorted(references[:, 0], start), len(references) - 1)
            is_reference = references[row, 0] == start
            width[is_reference] = references[row[is_reference], 1]
        texts.append(_decode(folded))
        starts.append(start)
        widths.append(width)
    if len(texts) == 1:
        return FoldedText(texts[0], starts[0], widths[0])
    return FoldedText(
        "".join(texts),
        np.concatenate([np.zeros(0, dtype=np.int32), *starts]),
        np.concatenate([np.zeros(0, dtype=np.uint8), *widths]),
    )


def fold_inside(text: str) -> FoldedText | None:
    """Return the folded form of a text without a tag or address that was cut in two at its beginning or end.

    None if nothing was cut.

    >>> fold_inside("page.md) and [more](http://a").text
    'andmore'
    """
    beginning, end = _CUT_BEGINNING.match(text), _CUT_END.search(text)
    first, last = beginning.end() if beginning else 0, end.start() if end else len(text)
    if first >= last or (beginning is None and end is None):
        return None
    return fold(" " * first + text[first:last] + " " * (len(text) - last))


def _fold_block(codes: Codes) -> tuple[Codes, Ints]:
    """Return the folded characters of some code points, and the index of each one's source."""
    table = _get_table()
    count = table.count[codes]
    if (count < 0).any():
        table.learn(codes)
        count = table.count[codes]
    place = np.flatnonzero(count)
    first = table.first[codes[place]]
    long = np.flatnonzero(count[place] > 1)
    if not len(long):
        return first, place
    repeats = count[place].astype(np.int64)
    folded = np.repeat(first, repeats)
    at = np.cumsum(repeats) - repeats
    for index in long.tolist():
        form = table.long_forms[int(codes[place[index]])]
        folded[at[index] : at[index] + len(form)] = form
    return folded, np.repeat(place, repeats)


def _blank_markup(text: str) -> tuple[Codes, Ints]:
    """Return the code points of a text with blanks for mark-up, and the decoded character references.

    A reference is replaced by its character, followed by blanks; its row is the offset of the character and
    the length of the reference.
    """
    codes = encode_text(text)
    references: list[tuple[int, int]] = []
    if _MAY_HOLD_MARKUP.search(text) is None:
        return codes, np.zeros((0, 2), dtype=np.int64)
    codes = codes.copy()
    for match in _MARKUP.finditer(text):
        start, end = match.span()
        if match["entity"] is None:
            codes[start:end] = _SPACE
            continue
        characters = _decode_reference(match["entity"])
        if characters:
            codes[start:end] = _SPACE
            codes[start : start + len(characters)] = encode_text(characters)
            references += [(start + place, end - start - place) for place in range(len(characters))]
    return codes, np.array(references, dtype=np.int64).reshape(-1, 2)


def _decode_reference(name: str) -> str:
    """Return the characters of a reference, the empty string if there is no such reference."""
    if not name.startswith("#"):
        from html.entities import html5  # two thousand names, which few texts need

        return html5.get(f"{name};", "")
    code = int(f"0{name[1:]}", 0) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0 < code < _CODE_POINTS else ""
