"""What a study is: a question about measures or settings, asked of any data, declared once.

The command, its help and the documentation derive from the declaration.  What a study finds is a frozen
result with tidy frames; :class:`Panel` says what each of them holds, and reports lay them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from doxel.evaluation.evaluation import Rejection

__all__ = ["Option", "Panel", "Study", "StudyResult"]


@dataclass(frozen=True)
class Panel:
    """One table of a result: the tidy frame, and where that is too long to read, what to show of it."""

    name: str
    caption: str
    frame: pl.DataFrame
    shown: pl.DataFrame | None = None

    @property
    def table(self) -> pl.DataFrame:
        """What is laid out for people."""
        return self.frame if self.shown is None else self.shown


@dataclass(frozen=True, kw_only=True)
class StudyResult:
    """What every study gives: tables, sentences that follow from them, and how it was done."""

    warnings: tuple[str, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def panels(self) -> tuple[Panel, ...]:
        """The tables, the most important first."""
        raise NotImplementedError

    @property
    def findings(self) -> tuple[str, ...]:
        """What the tables say, in sentences."""
        raise NotImplementedError


@dataclass(frozen=True)
class Option:
    """A setting of one study: a keyword of its function.

    ``kind`` is the type of its value, ``lowest`` and ``highest`` its range; ``many`` where it may be
    repeated.
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

    ``function`` takes runs, assessments, measures, and as keywords the collection, the options and those
    of ``doxel.evaluate``; no runs where a study makes its own.  ``demo_assessments``, ``demo_runs`` and
    ``demo_options`` say what of the bundled campaign it is asked of where nothing else is named.
    """

    name: str
    question: str
    about: str
    source: str
    function: Callable[..., StudyResult]
    measures: tuple[str, ...]
    demo_assessments: str
    demo_runs: tuple[str, ...] = ()
    demo_options: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[Option, ...] = ()

    @property
    def takes_runs(self) -> bool:
        """Whether it is about runs that are given."""
        return bool(self.demo_runs)

    def ask(self, runs: Any, assessments: Any, measures: Any = None, **keywords: Any) -> StudyResult:
        """Ask the question of some data."""
        if self.takes_runs:
            return self.function(runs, assessments, measures, **keywords)
        return self.function(assessments, measures, **keywords)
