"""The probability that a user has seen a target after each rank.

The input for a topic is a list of entries (rank, target, chance): the chance that the result at this rank
leads to the target.  Targets are found independently, so the number of targets seen after a rank has a
Poisson-binomial distribution.  Targets whose probability is always 0 or 1 are counted instead of
convolved, which makes classical cases cheap.
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
    """The chances of one topic: ``now[i, j]`` is the chance to reach target j at the rank ``ranks[i]``.

    Only ranks (from 1) and targets with an entry are included; ``target`` are the numbers of these targets
    among all ``count``.
    """

    ranks: Ints
    target: Ints
    now: Floats
    count: int
    length: int

    @cached_property
    def seen(self) -> Floats:
        """The probability that each target has been seen after each rank."""
        return 1.0 - np.asarray(np.cumprod(1.0 - self.now, axis=0), dtype=np.float64)

    @cached_property
    def seen_before(self) -> Floats:
        """The probability that each target has been seen before each rank."""
        return np.concatenate([np.zeros((1, self.seen.shape[1])), self.seen[:-1]])

    @cached_property
    def _is_plain(self) -> npt.NDArray[np.bool_]:
        return np.asarray(((self.seen == 0) | (self.seen == 1)).all(axis=0), dtype=bool)

    def reached(self) -> Floats:
        """P(at least r targets seen) after each rank, for r = 1 ... count (000 Eq. 6)."""
        return self._at_least(self.seen, 1.0 - self.seen)

    def _at_least(self, hit: Floats, miss: Floats) -> Floats:
        """Return the probability of at least r hits, from each target's weights of hit and miss."""
        spread = self._spread(hit, miss)
        tail = np.cumsum(spread[:, ::-1], axis=1)[:, ::-1][:, 1:]
        return self._padded(tail)

    def _spread(self, hit: Floats, miss: Floats) -> Floats:
        """Return the distribution of the number of hits: one row per rank, columns for 0, 1, ... hits."""
        plain = self._is_plain
        certain = np.rint(hit[:, plain].sum(axis=1)).astype(np.int64)
        idle = np.where(hit[:, plain] == 1, 1.0, miss[:, plain]).prod(axis=1)
        spread = np.zeros((len(self.ranks), 1 + int((~plain).sum())))
        spread[:, 0] = idle
        for number, column in enumerate(np.flatnonzero(~plain), 1):
            moved = spread[:, :number] * hit[:, column, None]
            spread[:, : number + 1] *= miss[:, column, None]
            spread[:, 1 : number + 1] += moved
        shifted = np.zeros((len(spread), hit.shape[1] + 1))
        columns = certain[:, None] + np.arange(spread.shape[1])
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
        """P(fewer than r targets seen before a rank, and none new at it), for r = 1 ... count."""
        spread = self._spread(self.seen_before, (1.0 - self.seen_before) * (1.0 - self.now))
        return self._fewer(spread)

    def discovers(self) -> Floats:
        """P(fewer than r targets seen before a rank, and one new at it), for r = 1 ... count."""
        return self.fewer_before() - self.idle_and_fewer()

    def discovers_and_reaches(self) -> Floats:
        """P(fewer than r seen before a rank, one new at it, at least r at the end), for r = 1 ... count."""
        reached = self.reached()
        reached_before = np.concatenate([np.zeros((1, self.count)), reached[:-1]])
        before, after, end = self.seen_before, self.seen, self.seen[-1:]
        idle_before = self._at_least(before, (1.0 - before) * (1.0 - self.now))
        # a target that is not new at this rank was seen before, is seen later, or never
        idle_at_end = self._at_least(before + (end - after), np.broadcast_to(1.0 - end, after.shape))
        chance = (reached[-1:] - reached_before) - (idle_at_end - idle_before)
        return np.asarray(np.maximum(chance, 0.0), dtype=np.float64)  # rounding may go below

    def _fewer(self, spread: Floats) -> Floats:
        below = np.cumsum(spread, axis=1)
        filled = np.repeat(below[:, -1:], self.count, axis=1)  # for r above the number of reachable targets
        width = min(below.shape[1], self.count)
        filled[:, :width] = below[:, :width]
        return filled

    def weight_reached(self, weight: Floats, goals: Floats) -> Floats:
        """P(seen weight >= goal) after each rank, per goal; ``weight`` is that of the reached targets."""
        total = goals.max(initial=0.0) or 1.0
        sums = np.zeros(1)  # as shares of the total, so that rounding is relative to it
        chance = np.ones((1, len(self.ranks)))  # one row per sum, because whole rows are moved
        for column in range(self.seen.shape[1]):
            candidates = np.concatenate([sums, sums + weight[column] / total])
            sums, place = np.unique(np.round(candidates, 14), return_inverse=True)
            if len(sums) > _MOST_SUMS:
                raise MeasureError("the graded targets have too many different weights; use binary=True")
            seen_chance = self.seen[:, column]
            row_if_missed, row_if_seen = np.split(place, 2)
            before, chance = chance, np.zeros((len(sums), len(self.ranks)))
            chance[row_if_missed] = before * (1.0 - seen_chance)
            if len(np.unique(row_if_seen)) == len(row_if_seen):
                chance[row_if_seen] += before * seen_chance
            else:  # rounding has made two sums equal
                np.add.at(chance, row_if_seen, before * seen_chance)
        is_enough = sums[None, :] >= goals[:, None] / total - 1e-12
        return np.asarray(chance.T @ is_enough.T.astype(float), dtype=np.float64)


def discover(rank: Ints, target: Ints, chance: Floats, *, count: int, length: int) -> Discovery:
    """Combine the entries of one topic; ranks count from 1, targets from 0 to ``count`` - 1."""
    ranks, row = np.unique(rank, return_inverse=True)
    reached, column = np.unique(target, return_inverse=True)
    miss = np.ones((len(ranks), len(reached)))
    np.multiply.at(miss, (row, column), 1.0 - chance)
    return Discovery(ranks, reached, 1.0 - miss, count, length)
