"""The status of a campaign: the parts that exist, are missing, or no longer match the rest.

Each part of a campaign has one state: ``missing`` (does not exist yet), ``incomplete``, ``stale`` (made from
something that has changed since), ``wrong`` (cannot be used), or ``ready``.
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
    """The status of one part of a campaign: its path, state, counts, problems and next command.

    ``counts`` are figures by name, ``matters`` sentences about problems, ``todo`` a command to run, or None.
    """

    part: str
    where: str
    state: str
    counts: dict[str, int | str]
    matters: tuple[str, ...] = ()
    todo: str | None = None


@dataclass(frozen=True)
class CampaignStatus:
    """The status of all parts, in the order in which a campaign is built."""

    name: str
    parts: tuple[PartStatus, ...]

    def __getitem__(self, part: str) -> PartStatus:
        for status in self.parts:
            if status.part == part:
                return status
        wanted = ", ".join(status.part for status in self.parts)
        raise InputError("part of a campaign", wanted=f"one of {wanted}", found=repr(part))

    @property
    def fits(self) -> bool:
        """Whether the existing parts match one another: nothing is stale or wrong."""
        return not any(status.state in {"stale", "wrong"} for status in self.parts)


class PartNotes:
    """Collects the problems of one part; its state is the most serious one reported."""

    def __init__(self, name: str, where: Sequence[Path]) -> None:
        self.name, self.where = name, ", ".join(map(str, where))
        self.counts: dict[str, int | str] = {}
        self._state, self._todo = "ready", ""
        self._matters: list[str] = []

    def say(self, state: str, matter: str, *, todo: str | None = None) -> None:
        """Add a problem, and the command that solves it."""
        self._state = max(self._state, state, key=STATES.index)
        self._matters.append(matter)
        self._todo = self._todo or todo or ""

    def status(self) -> PartStatus:
        """Return the status of the part."""
        return PartStatus(
            self.name, self.where, self._state, self.counts, tuple(self._matters), self._todo or None
        )
