"""The grammar of a kind of document: its tags, their contents, and their frequencies.

A grammar is a multi-type branching process.  Each tag has children that always come first, and then a
random number of further ones, drawn from a mix: a set of tags with weights.  Tags that share a mix
share its distribution, so that a thousand rare tags may contain each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from doxel.spans import Floats, Ints

__all__ = ["Grammar", "Tag", "zipf_weights"]

Bools = npt.NDArray[np.bool_]

Kind = Literal["block", "mixed", "empty"]
Source = Literal["words", "numbers", "names"]


@dataclass(frozen=True)
class Tag:
    """One tag.

    A ``block`` holds elements and white space only, a ``mixed`` one text and elements, an ``empty``
    one nothing.  ``words`` is the mean length of each stretch of text, ``prose`` sets sentences,
    ``scaled`` makes the number of further children grow with the size of the document.  ``attributes``
    is in the start tag, ``{}`` in it becomes a random number; ``markup`` replaces the whole tag.
    """

    name: str
    kind: Kind = "mixed"
    first: tuple[str, ...] = ()
    mix: str | None = None
    many: float = 0.0
    words: float = 0.0
    prose: bool = False
    capital: bool = False
    source: Source = "words"
    scaled: bool = False
    attributes: str = ""
    markup: str = ""


def zipf_weights(names: Sequence[str], total: float, exponent: float = 1.0) -> dict[str, float]:
    """Return weights that fall with the rank of a name and sum to ``total``.

    >>> zipf_weights(["a", "b"], 3.0)
    {'a': 2.0, 'b': 1.0}
    """
    share = np.arange(1, len(names) + 1, dtype=float) ** -exponent
    return dict(zip(names, (total * share / share.sum()).tolist(), strict=True))


class Grammar:
    """Tags and mixes as arrays, indexed by the number of the tag; tag 0 is the root."""

    def __init__(self, tags: Sequence[Tag], mixes: Mapping[str, Mapping[str, float]]) -> None:
        self.tags = tuple(tags)
        number = {tag.name: index for index, tag in enumerate(self.tags)}
        self.is_element = self._flags([not tag.markup for tag in tags])
        self.is_block = self._flags([tag.kind == "block" for tag in tags])
        self.is_mixed = self._flags([tag.kind == "mixed" for tag in tags])
        self.is_prose = self._flags([tag.prose for tag in tags])
        self.is_capital = self._flags([tag.capital or tag.source == "names" for tag in tags])
        self.is_numbers = self._flags([tag.source == "numbers" for tag in tags])
        self.is_names = self._flags([tag.source == "names" for tag in tags])
        self.varies = self._flags([tag.source == "words" for tag in tags])
        self.is_scaled = self._flags([tag.scaled for tag in tags])
        self.many: Floats = np.array([tag.many for tag in tags])
        self.words: Floats = np.array([tag.words for tag in tags])
        self.first_count: Ints = np.array([len(tag.first) for tag in tags])
        self.first: Ints = np.zeros((len(tags), max(1, self.first_count.max())), dtype=np.int64)
        for index, tag in enumerate(tags):
            self.first[index, : len(tag.first)] = [number[name] for name in tag.first]
        self._set_mixes(tags, mixes, number)

    @staticmethod
    def _flags(values: Sequence[bool]) -> Bools:
        return np.array(values, dtype=bool)

    def _set_mixes(
        self, tags: Sequence[Tag], mixes: Mapping[str, Mapping[str, float]], number: Mapping[str, int]
    ) -> None:
        """Lay all distributions on one line: the mix with number m covers the interval from m to m + 1."""
        order = {name: index for index, name in enumerate(mixes)}
        self._mix: Ints = np.array([order[tag.mix] if tag.mix else 0 for tag in tags])
        self._mixed_tags: Ints = np.array([number[name] for mix in mixes.values() for name in mix])
        self._line: Floats = np.concatenate(
            [
                index + np.cumsum(list(mix.values())) / sum(mix.values())
                for index, mix in enumerate(mixes.values())
            ]
        )
        self._last: Ints = np.cumsum([len(mix) for mix in mixes.values()]) - 1

    def draw_children(self, parents: Ints, rng: np.random.Generator) -> Ints:
        """Draw one tag from the mix of each parent tag."""
        mix = self._mix[parents]
        place = np.searchsorted(self._line, mix + rng.random(len(mix)), side="right")
        return self._mixed_tags[np.minimum(place, self._last[mix])]
