"""What a user has seen after each rank: targets are found independently, each with a growing chance.

For one topic: entries (rank, target, chance) say which result leads where.  After each rank at which a
chance changes there is, for each target that is ever reached, the probability to have seen it; the
number of targets seen is Poisson-binomial.  Targets whose chance only ever is 0 or 1 are counted and
not convolved, so that classical cases cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from doxel.errors import MeasureError
from doxel.spans import Floats, Ints

__all__ = ["Discovery", "discover"]


_MOST_SUMS = 50_000


@dataclass(frozen=True)
class Discovery:
    """One topic: at each of ``ranks`` (from 1) the chance ``now`` to reach each of the reached targets.

    ``target`` are the numbers of the reached targets among all ``count``.
    """

    ranks: Ints
    target: Ints
    now: Floats
    count: int
    length: int

    @cached_property
    def seen(self) -> Floats:
        """The probability to have seen each target after each rank."""
        return 1.0 - np.asarray(np.cumprod(1.0 - self.now, axis=0), dtype=np.float64)

    @cached_property
    def seen_before(self) -> Floats:
        """The same before each rank."""
        return np.concatenate([np.zeros((1, self.seen.shape[1])), self.seen[:-1]])

    @cached_property
    def _is_plain(self) -> npt.NDArray[np.bool_]:
        return np.asarray(((self.seen == 0) | (self.seen == 1)).all(axis=0), dtype=bool)

    def reached(self) -> Floats:
        """P(at least r targets seen) after each rank, for r = 1 ... count (000 Eq. 6)."""
        return self._at_least(self.seen, 1.0 - self.seen)

    def _at_least(self, hit: Floats, miss: Floats) -> Floats:
        """Probabilities of at least r hits, from each target's weights of hit and miss."""
        spread = self._spread(hit, miss)
        tail = np.cumsum(spread[:, ::-1], axis=1)[:, ::-1][:, 1:]
        return self._padded(tail)

    def _spread(self, hit: Floats, miss: Floats) -> Floats:
        """The distribution of the number of hits, rank by rank: columns 0, 1, ..."""
        plain = self._is_plain
        sure = np.rint(hit[:, plain].sum(axis=1)).astype(np.int64)
        idle = np.where(hit[:, plain] == 1, 1.0, miss[:, plain]).prod(axis=1)
        spread = np.zeros((len(self.ranks), 1 + int((~plain).sum())))
        spread[:, 0] = idle
        for number, column in enumerate(np.flatnonzero(~plain), 1):
            moved = spread[:, :number] * hit[:, column, None]
            spread[:, : number + 1] *= miss[:, column, None]
            spread[:, 1 : number + 1] += moved
        shifted = np.zeros((len(spread), hit.shape[1] + 1))
        columns = sure[:, None] + np.arange(spread.shape[1])
        np.put_along_axis(shifted, columns, spread, axis=1)
        return shifted

    def _padded(self, values: Floats) -> Floats:
        padded = np.zeros((len(values), self.count))
        padded[:, : values.shape[1]] = values
        return padded

    def fewer_before(self) -> Floats:
        """P(fewer than r targets seen) before each rank, for r = 1 ... count."""
        spread = self._spread(self.seen_before, 1.0 - self.seen_before)
        return self._fewer(spread)

    def idle_and_fewer(self) -> Floats:
        """P(fewer than r targets seen before a rank, and nothing new at it), for r = 1 ... count."""
        spread = self._spread(self.seen_before, (1.0 - self.seen_before) * (1.0 - self.now))
        return self._fewer(spread)

    def _fewer(self, spread: Floats) -> Floats:
        below = np.cumsum(spread, axis=1)
        filled = np.repeat(below[:, -1:], self.count, axis=1)  # r beyond all that can be seen
        width = min(below.shape[1], self.count)
        filled[:, :width] = below[:, :width]
        return filled

    def weight_reached(self, weight: Floats, goals: Floats) -> Floats:
        """P(weight seen >= goal) after each rank, for each goal; ``weight`` of the reached targets."""
        total = goals.max(initial=0.0) or 1.0
        sums = np.zeros(1)  # as shares of the total, so that rounding means the same everywhere
        chance = np.ones((1, len(self.ranks)))  # a row a sum: whole rows are moved
        for column in range(self.seen.shape[1]):
            together = np.concatenate([sums, sums + weight[column] / total])
            sums, place = np.unique(np.round(together, 14), return_inverse=True)
            if len(sums) > _MOST_SUMS:
                raise MeasureError("graded targets have too many different weights: use binary=True")
            seen = self.seen[:, column]
            without, with_it = np.split(place, 2)
            before, chance = chance, np.zeros((len(sums), len(self.ranks)))
            chance[without] = before * (1.0 - seen)
            if len(np.unique(with_it)) == len(with_it):
                chance[with_it] += before * seen
            else:  # two sums that rounding has made one
                np.add.at(chance, with_it, before * seen)
        enough = sums[None, :] >= goals[:, None] / total - 1e-12
        return np.asarray(chance.T @ enough.T.astype(float), dtype=np.float64)


def discover(rank: Ints, target: Ints, chance: Floats, *, count: int, length: int) -> Discovery:
    """Gather the entries of one topic: ranks from 1, targets from 0 to count - 1."""
    ranks, row = np.unique(rank, return_inverse=True)
    reached, column = np.unique(target, return_inverse=True)
    miss = np.ones((len(ranks), len(reached)))
    np.multiply.at(miss, (row, column), 1.0 - chance)
    return Discovery(ranks, reached, 1.0 - miss, count, length)
