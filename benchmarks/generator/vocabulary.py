"""Words: built from syllables, distributed as in natural text, ready for typesetting.

The most frequent words are English function words, the rest is invented.  Frequencies follow the law
of Zipf and Mandelbrot.  Words are kept as XML: some hold an entity, some a letter beyond ASCII.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from doxel.spans import Ints

__all__ = ["SEPARATORS", "Vocabulary", "vocabulary"]


SEPARATORS = ("", " ", ", ", ". ", ".")  # what may follow a word; the order is a code

_SIZE = 60_000
_SLOTS = 1 << 20
_NUMBERS = 2_400
_FIRST_NAME, _LAST_NAME = 2_500, 10_000
_FUNCTION_WORDS = (
    "the of and to in a is that for it as was with be by on not he this are or his from at which but have "
    "an they you were there one all we can her has their been if more when will would who so no out up into "
    "than them only other new some could time these two may then do first any my now such like our over me "
    "even most made after also did many before must through where much your well down should because each "
    "just those how too little state good very make between both under same see while here use during"
)
_ONSETS = "b c d f g h l m n p r s t v b c d f l m n p r s t w br ch cl cr dr gr pl pr st th tr"
_NUCLEI = "a e i o u a e i o a e ea io ou"
_CODAS = "- - - - - - - - - n r s t l m n r nd rn st x"  # a dash is none
_ENDINGS = "- - - - - - s ed ing er ion al ly ment ity ous ate"
_UNUSUAL = (
    "R&amp;D",
    "AT&amp;T",
    "caf\u00e9",
    "na\u00efve",
    "G\u00f6del",
    "\u03b1-level",
    "\u00c5ngstr\u00f6m",
    "p&lt;0.05",
)


@dataclass(frozen=True)
class Vocabulary:
    """Words as tokens: each in ten forms, small or capital, with each of the separators after it.

    The token of a word's form is ``word * FORMS + capital * len(SEPARATORS) + separator``.
    """

    words: tuple[str, ...]
    zipf: npt.NDArray[np.int32]  # draw a slot at random to draw a word by its frequency
    first_number: int  # the words from here on are numbers

    FORMS = 2 * len(SEPARATORS)

    def tokens(self) -> list[bytes]:
        """Return all forms of all words."""
        return [
            (form + separator).encode()
            for word in self.words
            for form in (word, word[0].upper() + word[1:])
            for separator in SEPARATORS
        ]

    def draw(self, rng: np.random.Generator, count: int) -> Ints:
        """Draw words by their frequency."""
        return self.zipf[rng.integers(0, len(self.zipf), count, dtype=np.uint32)].astype(np.int64)

    def draw_names(self, rng: np.random.Generator, count: int) -> Ints:
        """Draw words that can be names: invented ones, all alike."""
        return rng.integers(_FIRST_NAME, _LAST_NAME, count)

    def draw_numbers(self, rng: np.random.Generator, count: int) -> Ints:
        """Draw numbers: years, pages, quantities."""
        return rng.integers(self.first_number, len(self.words), count)


@lru_cache(maxsize=1)
def vocabulary(seed: int) -> Vocabulary:
    """Make the vocabulary of a seed."""
    rng = np.random.default_rng([seed, 0])
    invented = _invented(rng, _SIZE)
    words = [*_FUNCTION_WORDS.split(), *invented[:2_000], *_UNUSUAL, *invented[2_000:]]
    numbers = [str(year) for year in range(1900, 2005)]
    numbers += [f"{value:.4g}" for value in np.exp(rng.uniform(0, 9, _NUMBERS - len(numbers)))]
    ranks = np.arange(1, len(words) + 1)
    share = (ranks + 2.7) ** -1.1
    slots = np.maximum(1, np.round(share / share.sum() * _SLOTS)).astype(np.int64)
    return Vocabulary(
        words=(*words, *numbers),
        zipf=np.repeat(np.arange(len(words), dtype=np.int32), slots),
        first_number=len(words),
    )


def _invented(rng: np.random.Generator, count: int) -> list[str]:
    """Invent words; frequent words are short."""
    onsets, nuclei, codas, endings = (
        [piece.strip("-") for piece in pieces.split()] for pieces in (_ONSETS, _NUCLEI, _CODAS, _ENDINGS)
    )
    used = set(_FUNCTION_WORDS.split())
    words: list[str] = []
    while len(words) < count:
        syllables = 1 + rng.binomial(2, 0.4 if len(words) < 1_500 else 0.7)
        pieces = [*[onsets, nuclei, codas] * syllables, endings]
        shares = rng.random(len(pieces)).tolist()
        word = "".join(
            choices[int(share * len(choices))] for choices, share in zip(pieces, shares, strict=True)
        )
        if 3 <= len(word) <= 16 and word not in used:
            used.add(word)
            words.append(word)
    return words
