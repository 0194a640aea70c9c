"""The declaration of a study: a question about measures or settings that can be asked of any data.

The command, its help and the documentation are derived from the declaration.  The result of a study is
frozen and consists of tidy frames; each :class:`Panel` describes one of them for reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from doxel.checks.score_warnings import ScoreWarning
from doxel.evaluation.evaluation_result import Rejection

__all__ = ["Panel", "Study", "StudyOption", "StudyResult"]


@dataclass(frozen=True)
class Panel:
    """One table of a result: the tidy frame and, if that is too long to read, a shorter table to show."""

    name: str
    caption: str
    frame: pl.DataFrame
    shown: pl.DataFrame | None = None

    @property
    def table(self) -> pl.DataFrame:
        """The table to show."""
        return self.frame if self.shown is None else self.shown


@dataclass(frozen=True, kw_only=True)
class StudyResult:
    """The result of every study: tables, sentences that summarise them, and the parameters used."""

    warnings: tuple[ScoreWarning, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def panels(self) -> tuple[Panel, ...]:
        """The tables, the most important first."""
        raise NotImplementedError

    @property
    def findings(self) -> tuple[str, ...]:
        """Sentences that summarise the tables."""
        raise NotImplementedError


@dataclass(frozen=True)
class StudyOption:
    """An option of one study: a keyword argument of its function.

    ``kind`` is the type of its value, ``lowest`` and ``highest`` its range; ``many`` allows repetition.
    """

    name: str
    about: str
    kind: type = str
    default: Any = None
    many: bool = False
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True)
class Study:
    """A declared study.

    ``function`` takes runs, assessments and measures, and as keywords the collection, the options and those
    of ``doxel.evaluate``; it takes no runs if the study creates its own, and can do without them if
    ``runs_optional``.  ``demo_assessments``, one or several, ``demo_runs`` and ``demo_options`` select the
    data of the bundled campaign that are used by default.
    """

    name: str
    question: str
    about: str
    source: str
    function: Callable[..., StudyResult]
    measures: tuple[str, ...]
    demo_assessments: str | tuple[str, ...]
    demo_runs: tuple[str, ...] = ()
    runs_optional: bool = False
    demo_options: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[StudyOption, ...] = ()

    @property
    def takes_runs(self) -> bool:
        """Whether the study needs runs."""
        return bool(self.demo_runs)

    def choose_demo_assessments(self, assessments: Mapping[str, Any]) -> Any:
        """Return those of the bundled campaign's assessments that the study uses by default."""
        if isinstance(self.demo_assessments, str):
            return assessments[self.demo_assessments]
        return [assessments[name] for name in self.demo_assessments]

    def ask(self, runs: Any, assessments: Any, measures: Any = None, **keywords: Any) -> StudyResult:
        """Run the study on the given data."""
        if self.takes_runs:
            return self.function(runs, assessments, measures, **keywords)
        return self.function(assessments, measures, **keywords)
