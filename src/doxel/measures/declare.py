"""Measures as values: a name, a pure function over a view, and parameters, declared once.

``nxCG(alpha=1) @ 10`` builds the measure that prints as ``nxCG(alpha=1)@10``, parses back from that
string and compares equal to it.  What is written shows in the name; what is not written keeps its
default, or is settled by the run and the assessments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from doxel.errors import MeasureError
from doxel.measures.parameters import DEPENDS, Number, Parameter, show_value
from doxel.wording import did_you_mean, shown

__all__ = ["Declaration", "Measure", "Properties", "Scores", "View", "declare"]

Scores = npt.NDArray[np.float64]
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class View:
    """What one run looks like to a family of measures, as arrays; subclasses declare the arrays.

    The leading axis is the topic, the next the rank.  ``parameters`` are the view's own: measures over
    the view have them too.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    limited_by: ClassVar[str] = "results"  # what the parameter ``limit`` counts: results or articles

    @property
    def defined(self) -> npt.NDArray[np.bool_]:
        """For each topic, whether there is anything to find: where not, every score is undefined."""
        raise NotImplementedError

    def kept(self, key: Hashable, compute: Callable[[], Kept]) -> Kept:
        """Return what ``compute`` gives, computed once a key: the points of a curve share their work."""
        have: dict[Hashable, Any] = vars(self).setdefault("_kept", {})
        if key not in have:
            have[key] = compute()
        found: Kept = have[key]
        return found


@dataclass(frozen=True)
class Properties:
    """How a measure answers the questions of source 000, table 2; "?" where that table has "?"."""

    faithful: str = "?"
    interpretable: str = "y"
    recall: str = "n"
    precision: str = "n"
    near_misses: str = "n"
    overlap: str = "="
    ideality: str = "n"
    graded: str = "n"
    user_model: str = "n"
    thorough: str = "?"
    focused: str = "?"
    relevant_in_context: str = "?"
    best_in_context: str = "?"


@dataclass(frozen=True, eq=False)
class Declaration:
    """Everything that is said of a measure, in one place."""

    name: str
    function: Callable[..., Scores]
    view: type[View]
    summary: str
    reference: str
    own: tuple[Parameter, ...] = ()
    at: Parameter | None = None
    at_optional: bool = False
    aliases: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    lower_is_better: bool = False
    requires: Callable[[Mapping[str, Any]], tuple[str, ...]] = lambda parameters: ()  # noqa: ARG005
    check: Callable[[Mapping[str, Any]], None] = lambda parameters: None  # noqa: ARG005
    years: str = ""
    properties: Properties = field(default_factory=Properties)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """All parameters by name: the measure's own, then its view's."""
        every = (*self.own, *self.view.parameters)
        return {parameter.name: parameter for parameter in every}

    @property
    def explanation(self) -> str:
        """What it rewards, when it misleads, how it differs: the text of its module."""
        return inspect.getdoc(inspect.getmodule(self.function)) or ""


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with the parameters that were written; the rest have their defaults."""

    declaration: Declaration
    written: Mapping[str, Any] = field(default_factory=dict)
    at: Any = None

    def __call__(self, **parameters: Any) -> Measure:
        """Return the measure with these parameters written."""
        known = self.declaration.parameters
        for name in parameters:
            if name not in known:
                have = ", ".join(known) or "none"
                raise MeasureError(
                    f"{self.declaration.name} has no parameter {shown(name)}; it has: {have}"
                    f"{did_you_mean(name, known)}"
                )
        checked = {
            name: known[name].accept(value, owner=self.declaration.name) for name, value in parameters.items()
        }
        return Measure(self.declaration, {**self.written, **checked}, self.at)

    def __matmul__(self, at: Any) -> Measure:
        """Return the measure at a cutoff."""
        wanted = self.declaration.at
        if wanted is None:
            raise MeasureError(f"{self.declaration.name} takes no @")
        return Measure(self.declaration, self.written, wanted.accept(at, owner=self.declaration.name))

    @cached_property
    def name(self) -> str:
        """The canonical name."""
        known = self.declaration.parameters
        shown = [
            f"{name}={show_value(value)}"
            for name, value in sorted(self.written.items())
            if known[name].default is DEPENDS or value != known[name].default
        ]
        arguments = f"({', '.join(shown)})" if shown else ""
        cutoff = "" if self.at is None else f"@{show_value(self.at)}"
        return f"{self.declaration.name}{arguments}{cutoff}"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Cross process borders by name: declarations hold functions, which do not travel."""
        return _declared, (self.declaration.name, dict(self.written), self.at)

    def settled(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters: as written, else from ``defaults``, else as declared."""
        return {
            name: self.written.get(name, defaults.get(name, parameter.default))
            for name, parameter in self.declaration.parameters.items()
        }

    def check(self) -> Measure:
        """Return the measure itself, or say that its cutoff is missing."""
        declared = self.declaration
        if declared.at is not None and self.at is None and not declared.at_optional:
            is_rank = isinstance(declared.at.kind, Number) and declared.at.kind.whole
            example = f"{declared.name}@{10 if is_rank else 0.1}"
            raise MeasureError(
                f"{declared.name} needs @ and {declared.at.kind}: {declared.at.about}, such as {example}"
            )
        declared.check(self.settled({}))
        return self

    def compute(self, view: View, parameters: Mapping[str, Any]) -> Scores:
        """Return the scores of one run, a number a topic."""
        own = {one.name: parameters[one.name] for one in self.declaration.own}
        cutoff = {self.declaration.at.name: self.at} if self.declaration.at else {}
        scores = self.declaration.function(view, **own, **cutoff)
        return np.where(view.defined, scores, np.nan)


def _declared(name: str, written: Mapping[str, Any], at: Any) -> Measure:
    from doxel.measures.table import by_name  # the table knows the measures, which know this module

    return Measure(by_name()[name].declaration, written, at)


def declare(name: str, function: Callable[..., Scores], *, view: type[View], **said: Any) -> Measure:
    """Declare a measure and return it without written parameters."""
    return Measure(Declaration(name, function, view, **said))
