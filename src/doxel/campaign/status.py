"""The status of a campaign: what is there, what is missing, and what no longer fits the rest.

Each part of a campaign has one state: ``missing`` (not there yet), ``incomplete`` (there, but not all of
it), ``stale`` (made from something that has changed since), ``wrong`` (cannot be used), or ``ready``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from doxel.errors import InputError

__all__ = ["STATES", "CampaignStatus", "PartNotes", "PartStatus"]

STATES = ("ready", "incomplete", "missing", "stale", "wrong")


@dataclass(frozen=True)
class PartStatus:
    """The status of one part: where it is, its state, what is there, what is the matter, what to do.

    ``counts`` are figures by name, ``matters`` sentences, ``todo`` a command that would help, or None.
    """

    part: str
    where: str
    state: str
    counts: dict[str, int | str]
    matters: tuple[str, ...] = ()
    todo: str | None = None


@dataclass(frozen=True)
class CampaignStatus:
    """The status of all parts, in the order in which a campaign comes into being."""

    name: str
    parts: tuple[PartStatus, ...]

    def __getitem__(self, part: str) -> PartStatus:
        for one in self.parts:
            if one.part == part:
                return one
        wanted = ", ".join(one.part for one in self.parts)
        raise InputError("a part of a campaign", wanted=f"one of {wanted}", found=repr(part))

    @property
    def fits(self) -> bool:
        """Whether whatever is there fits together: nothing is stale or wrong."""
        return not any(one.state in {"stale", "wrong"} for one in self.parts)


class PartNotes:
    """The status of a part while it is being looked at: of several states the most serious counts."""

    def __init__(self, name: str, where: Sequence[Path]) -> None:
        self.name, self.where = name, ", ".join(map(str, where))
        self.counts: dict[str, int | str] = {}
        self._state, self._todo = "ready", ""
        self._matters: list[str] = []

    def say(self, state: str, matter: str, *, todo: str | None = None) -> None:
        """Note something that is the matter, and what would help."""
        self._state = max(self._state, state, key=STATES.index)
        self._matters.append(matter)
        self._todo = self._todo or todo or ""

    def status(self) -> PartStatus:
        """Return what was found."""
        return PartStatus(
            self.name, self.where, self._state, self.counts, tuple(self._matters), self._todo or None
        )
