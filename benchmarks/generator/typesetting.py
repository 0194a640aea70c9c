"""From trees to bytes: every stretch of text and every tag is a token, and tokens are joined.

The nodes of a tree have two boundaries each, a start and an end; after each boundary comes a stretch
of text, which may be empty.  All stretches of a batch are drawn at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.generator.grammar import Grammar, Tag
from benchmarks.generator.trees import Trees
from benchmarks.generator.vocabulary import SEPARATORS, Vocabulary
from doxel.spans import Ints

__all__ = ["Typesetter"]

Bools = npt.NDArray[np.bool_]

_SLOTS = 4  # tokens of a boundary: start of a tag, number in an attribute, end of the tag, separator
_TARGETS = 20_000  # links point to the first documents of a collection, to the very first most often
_NOTHING, _SPACE, _COMMA, _STOP_SPACE, _STOP = range(len(SEPARATORS))
_STOPS, _COMMAS = 18, 34  # of 256 words, those that may end a sentence, and those before a comma or a stop
_SHORTEST = 4  # words of a sentence


@dataclass(frozen=True)
class _Boundaries:
    """All starts and ends of a batch, in order."""

    opens: Bools
    node: Ints
    owner_tag: Ints  # the tag to which the text after the boundary belongs
    inside: Bools  # false after the end of a document


class Typesetter:
    """Sets the text of trees of one grammar."""

    def __init__(self, grammar: Grammar, words: Vocabulary) -> None:
        self._grammar, self._words = grammar, words
        tokens = words.tokens()
        self._empty = len(tokens)
        self._space, self._stop, self._line = range(self._empty + 1, self._empty + 4)
        tokens += [b"", b" ", b".", b"\n"]
        self._first_target = len(tokens)
        tokens += [str(number).encode() for number in range(1, _TARGETS + 1)]
        first_tag = len(tokens)
        for tag in grammar.tags:
            tokens += _tag_tokens(tag)
        self._start: Ints = first_tag + 3 * np.arange(len(grammar.tags))
        self._has_number: Bools = np.array(["{}" in tag.attributes for tag in grammar.tags])
        self._pool = np.array(tokens, dtype=object)

    def documents(self, trees: Trees, rng: np.random.Generator) -> Iterator[bytes]:
        """Yield the documents of a batch, each without the start tag of its root element."""
        boundaries = self._boundaries(trees)
        counts = self._word_counts(boundaries, rng)
        position = _SLOTS * np.arange(len(counts)) + np.cumsum(counts) - counts
        tokens = np.full(_SLOTS * len(counts) + int(counts.sum()), self._empty, dtype=np.int64)
        self._set_tags(tokens, position, trees, boundaries, rng)
        tokens[position + 3] = self._after(boundaries, counts)
        stretch = np.repeat(np.arange(len(counts)), counts)
        index = np.arange(len(stretch)) - (np.cumsum(counts) - counts)[stretch]
        tokens[position[stretch] + _SLOTS + index] = self._set_words(boundaries, counts, stretch, index, rng)
        starts = position[2 * trees.first]
        tokens[starts] = self._empty  # the root is written by the caller, which knows the document's name
        for begin, stop in zip(starts, [*starts[1:], len(tokens)], strict=True):
            document = tokens[begin:stop]
            yield b"".join(self._pool[document[document != self._empty]].tolist())

    def _boundaries(self, trees: Trees) -> _Boundaries:
        rows = np.arange(len(trees.tag))
        opening, closing = 2 * rows - (trees.depth - 1), 2 * trees.end - trees.depth
        opens = np.zeros(2 * len(rows), dtype=bool)
        opens[opening] = True
        node, owner = (np.empty(2 * len(rows), dtype=np.int64) for _ in range(2))
        node[opening], node[closing] = rows, rows
        owner[opening], owner[closing] = rows, trees.parent
        return _Boundaries(opens, node, trees.tag[owner], owner >= 0)

    def _word_counts(self, boundaries: _Boundaries, rng: np.random.Generator) -> Ints:
        """Draw the lengths of all stretches of text; names and numbers are as long as the tag says."""
        grammar, owner = self._grammar, boundaries.owner_tag
        mean = grammar.words[owner]
        spread = np.where(grammar.varies[owner], rng.standard_gamma(4.0, len(mean)) / 4.0, 1.0)
        counts = np.floor(mean * spread + rng.random(len(mean)) * grammar.varies[owner]).astype(np.int64)
        next_opens = np.append(boundaries.opens[1:], False)
        alone = boundaries.opens & ~next_opens  # an element with nothing inside but this text
        counts[alone] = np.maximum(counts[alone], 1)
        counts[~(grammar.is_mixed[owner] & boundaries.inside)] = 0
        return counts

    def _set_tags(
        self,
        tokens: Ints,
        position: Ints,
        trees: Trees,
        boundaries: _Boundaries,
        rng: np.random.Generator,
    ) -> None:
        tag = trees.tag[boundaries.node]
        tokens[position] = self._start[tag] + np.where(boundaries.opens, 0, 2)
        linked = np.flatnonzero(boundaries.opens & self._has_number[tag])
        targets = np.floor(_TARGETS * rng.random(len(linked)) ** 2).astype(np.int64)
        tokens[position[linked] + 1] = self._first_target + targets
        tokens[position[linked] + 2] = self._start[tag[linked]] + 1

    def _after(self, boundaries: _Boundaries, counts: Ints) -> Ints:
        """Return the separator after each boundary: new lines in blocks, spaces after inner elements."""
        grammar, owner = self._grammar, boundaries.owner_tag
        next_opens = np.append(boundaries.opens[1:], False)
        after_child = ~boundaries.opens & grammar.is_mixed[owner]
        goes_on = (counts > 0) | next_opens
        after = np.full(len(counts), self._empty)
        after[after_child & goes_on] = self._space
        after[after_child & ~goes_on & grammar.is_prose[owner]] = self._stop
        after[grammar.is_block[owner]] = self._line
        after[~boundaries.inside] = self._line
        return after

    def _set_words(
        self, boundaries: _Boundaries, counts: Ints, stretch: Ints, index: Ints, rng: np.random.Generator
    ) -> Ints:
        """Draw the words of all stretches, in their forms."""
        grammar, owner = self._grammar, boundaries.owner_tag[stretch]
        words = self._words.draw(rng, len(stretch))
        numbers = np.flatnonzero(grammar.is_numbers[owner])
        words[numbers] = self._words.draw_numbers(rng, len(numbers))
        names = np.flatnonzero(grammar.is_names[owner])
        words[names] = self._words.draw_names(rng, len(names))
        chance = rng.integers(0, 256, len(stretch), dtype=np.uint8)
        prose = grammar.is_prose[owner]
        stops = prose & (chance < _STOPS)
        for distance in range(1, _SHORTEST):
            stops[distance:] &= ~stops[:-distance]
        separator = np.where(stops, _STOP_SPACE, np.where(prose & (chance < _COMMAS), _COMMA, _SPACE))
        next_opens = np.append(boundaries.opens[1:], False)[stretch]
        at_end = (index == counts[stretch] - 1) & ~next_opens
        separator[at_end] = np.where(prose[at_end], _STOP, _NOTHING)
        begins = (index == 0) & boundaries.opens[stretch]
        capital = (begins & (prose | grammar.is_capital[owner])) | grammar.is_names[owner]
        capital[1:] |= stops[:-1]
        forms: Ints = words * Vocabulary.FORMS + capital * len(SEPARATORS) + separator
        return forms


def _tag_tokens(tag: Tag) -> list[bytes]:
    """Return the start of a start tag, its rest after a number, and the end tag."""
    if tag.markup:
        return [tag.markup.encode(), b"", b""]
    before, _, after = tag.attributes.partition("{}")
    close = "/>" if tag.kind == "empty" else ">"
    start = f"<{tag.name}" + (f" {before}" if before else "")
    end = b"" if tag.kind == "empty" else f"</{tag.name}>".encode()
    if "{}" in tag.attributes:
        return [start.encode(), (after + close).encode(), end]
    return [(start + close).encode(), b"", end]
