"""The declaration of a campaign's scorer: its sets, its figures, its faults, and the function that scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from doxel.assessments.assessments import Assessments
from doxel.errors import InputError
from doxel.runs.run import Run

__all__ = ["CampaignScorer", "CampaignScores", "refuse_format"]


@dataclass(frozen=True)
class CampaignScores:
    """The figures of a run: of each topic by name, and over all topics, which need not be their means.

    ``lacking`` are assessed topics that the run does not answer; ``unassessed`` the reverse.
    """

    topics: Mapping[str, Mapping[str, float]]
    overall: Mapping[str, float]
    lacking: Sequence[str] = ()
    unassessed: Sequence[str] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CampaignScorer:
    """A campaign's official figures, declared at the end of the file that computes them.

    ``sets`` are the figures of each named set; the last one is the default.  ``compat``: its program has
    faults or conventions that no other figure shares, so that it must be requested with ``--compat``.
    ``lacking`` describes the treatment of topics that a run does not answer.
    """

    name: str
    about: str
    sets: Mapping[str, tuple[str, ...]]
    score: Callable[[Run, Assessments, str], CampaignScores]
    lacking: str
    compat: bool = False
    faults: tuple[str, ...] = ()


def refuse_format(
    scorer: str, thing: Run | Assessments, wanted: str, *, problem: str | None = None
) -> InputError:
    """Return the error for a run or gold in a format without the data that a campaign's program reads."""
    return InputError(
        problem or f"the figures of {scorer} need the campaign's own file",
        file=thing.file,
        wanted=wanted,
        found=f"format {thing.format}" if thing.format else "plain data",
    )
