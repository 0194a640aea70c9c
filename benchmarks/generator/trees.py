"""Trees grown from a grammar, a whole batch of documents at once, level by level.

No step loops over elements: a level is one set of arrays, its children the next.  At the end the
levels are put into document order.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from benchmarks.generator.grammar import Grammar
from doxel.spans import Floats, Ints

__all__ = ["Trees", "grow", "size_factors"]


_DEEPEST = 30


@dataclass(frozen=True)
class Trees:
    """Nodes of several documents in document order; ``first`` holds the row of each root."""

    first: Ints
    tag: Ints
    parent: Ints  # -1 for a root
    depth: Ints  # 1 for a root
    end: Ints  # the row after the last descendant


@dataclass(frozen=True)
class _Level:
    tag: Ints
    parent: Ints  # place in the level above
    document: Ints


def size_factors(rng: np.random.Generator, count: int, sigma: float) -> Floats:
    """Draw how large documents are, with mean 1, from a log-normal distribution.

    One document is drawn from each of ``count`` strata of equal probability, in random order, so that
    any batch has about the mean of the whole.
    """
    strata = (rng.permutation(count) + rng.random(count)) / count
    normal = NormalDist(-(sigma**2) / 2, sigma)
    return np.exp([normal.inv_cdf(min(max(share, 1e-9), 1 - 1e-9)) for share in strata.tolist()])


def grow(grammar: Grammar, factors: Floats, rng: np.random.Generator) -> Trees:
    """Grow one tree for each size factor."""
    count = len(factors)
    levels = [_Level(np.zeros(count, dtype=np.int64), np.full(count, -1), np.arange(count))]
    while len(levels) < _DEEPEST and len(levels[-1].tag):
        levels.append(_next_level(grammar, levels[-1], factors, rng))
    return _in_document_order([level for level in levels if len(level.tag)])


def _next_level(grammar: Grammar, above: _Level, factors: Floats, rng: np.random.Generator) -> _Level:
    fixed = grammar.first_count[above.tag]
    scale = np.where(grammar.is_scaled[above.tag], factors[above.document], 1.0)
    further = rng.poisson(grammar.many[above.tag] * scale)
    count = fixed + further
    parent = np.repeat(np.arange(len(count)), count)
    slot = np.arange(len(parent)) - (np.cumsum(count) - count)[parent]
    parent_tag = above.tag[parent]
    is_fixed = slot < fixed[parent]
    tag = np.empty(len(parent), dtype=np.int64)
    tag[is_fixed] = grammar.first[parent_tag[is_fixed], slot[is_fixed]]
    tag[~is_fixed] = grammar.draw_children(parent_tag[~is_fixed], rng)
    return _Level(tag, parent, above.document[parent])


def _in_document_order(levels: list[_Level]) -> Trees:
    sizes = _subtree_sizes(levels)
    total = int(sizes[0].sum())
    tag, parent, depth, end = (np.empty(total, dtype=np.int64) for _ in range(4))
    rows = np.cumsum(sizes[0]) - sizes[0]
    first = rows
    for number, (level, size) in enumerate(zip(levels, sizes, strict=True)):
        if number:
            above = rows[level.parent]
            before = np.cumsum(size) - size  # nodes of this level's subtrees that come earlier
            is_first = np.diff(level.parent, prepend=-1) != 0
            start_of_family = np.maximum.accumulate(np.where(is_first, before, 0))
            rows = above + 1 + before - start_of_family
            parent[rows] = above
        else:
            parent[rows] = -1
        tag[rows], depth[rows], end[rows] = level.tag, number + 1, rows + size
    return Trees(first, tag, parent, depth, end)


def _subtree_sizes(levels: list[_Level]) -> list[Ints]:
    sizes = [np.ones(len(level.tag), dtype=np.int64) for level in levels]
    for number in range(len(levels) - 1, 0, -1):
        below = np.bincount(levels[number].parent, weights=sizes[number], minlength=len(sizes[number - 1]))
        sizes[number - 1] += below.astype(np.int64)
    return sizes
