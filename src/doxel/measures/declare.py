"""Measures as values: a name, a pure function over a view, and parameters.

``nxCG(alpha=1) @ 10`` builds the measure that prints as ``nxCG(alpha=1)@10``, parses back from that
string and compares equal to it.  Parameters that were written appear in the name; the others have their
defaults or depend on the run and the assessments.
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
from doxel.wording import did_you_mean, quote_value

__all__ = ["Declaration", "Measure", "Properties", "Scores", "View", "declare"]

Scores = npt.NDArray[np.float64]
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class View:
    """One run as the arrays that a family of measures needs; subclasses declare the arrays.

    The first axis is the topic, the second the rank.  ``parameters`` belong to the view; every measure
    over the view has them too.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    limited_by: ClassVar[str] = "results"  # the parameter ``limit`` counts "results" or "articles"

    @property
    def defined(self) -> npt.NDArray[np.bool_]:
        """Whether each topic has anything to find; if not, all its scores are undefined."""
        raise NotImplementedError

    def kept(self, key: Hashable, compute: Callable[[], Kept]) -> Kept:
        """Return ``compute()``, computed once per key, so that the points of a curve share their work."""
        cache: dict[Hashable, Any] = vars(self).setdefault("_kept", {})
        if key not in cache:
            cache[key] = compute()
        value: Kept = cache[key]
        return value


@dataclass(frozen=True)
class Properties:
    """The properties of a measure as in source 000, table 2; "?" is also "?" there."""

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
    """The full description of a measure."""

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
        both = (*self.own, *self.view.parameters)
        return {parameter.name: parameter for parameter in both}

    @property
    def explanation(self) -> str:
        """What it rewards, when it misleads, how it differs: the docstring of its module."""
        return inspect.getdoc(inspect.getmodule(self.function)) or ""


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with the parameters that were written; the rest have their defaults."""

    declaration: Declaration
    written: Mapping[str, Any] = field(default_factory=dict)
    at: Any = None

    def __call__(self, **parameters: Any) -> Measure:
        """Return the measure with these parameters written."""
        declared = self.declaration.parameters
        for name in parameters:
            if name not in declared:
                names = ", ".join(declared) or "none"
                raise MeasureError(
                    f"{self.declaration.name} has no parameter {quote_value(name)}; it has: {names}"
                    f"{did_you_mean(name, declared)}"
                )
        checked = {
            name: declared[name].accept(value, owner=self.declaration.name)
            for name, value in parameters.items()
        }
        return Measure(self.declaration, {**self.written, **checked}, self.at)

    def __matmul__(self, at: Any) -> Measure:
        """Return the measure at a cutoff."""
        cutoff = self.declaration.at
        if cutoff is None:
            raise MeasureError(f"{self.declaration.name} does not take a cutoff (@)")
        return Measure(self.declaration, self.written, cutoff.accept(at, owner=self.declaration.name))

    @cached_property
    def name(self) -> str:
        """The canonical name."""
        declared = self.declaration.parameters
        arguments = [
            f"{name}={show_value(value)}"
            for name, value in sorted(self.written.items())
            if declared[name].default is DEPENDS or value != declared[name].default
        ]
        in_brackets = f"({', '.join(arguments)})" if arguments else ""
        cutoff = "" if self.at is None else f"@{show_value(self.at)}"
        return f"{self.declaration.name}{in_brackets}{cutoff}"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the measure by name, because declarations contain functions that cannot be pickled."""
        return _declared, (self.declaration.name, dict(self.written), self.at)

    def settled(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of all parameters: as written, else from ``defaults``, else as declared."""
        return {
            name: self.written.get(name, defaults.get(name, parameter.default))
            for name, parameter in self.declaration.parameters.items()
        }

    def check(self) -> Measure:
        """Return the measure itself, or raise an error if its cutoff is missing or parameters conflict."""
        declaration = self.declaration
        cutoff = declaration.at
        if cutoff is not None and self.at is None and not declaration.at_optional:
            is_rank = isinstance(cutoff.kind, Number) and cutoff.kind.whole
            example = f"{declaration.name}@{10 if is_rank else 0.1}"
            raise MeasureError(
                f"{declaration.name} needs a cutoff, such as {example}: {cutoff.kind} ({cutoff.about})"
            )
        declaration.check(self.settled({}))
        return self

    def compute(self, view: View, parameters: Mapping[str, Any]) -> Scores:
        """Return the scores of one run, one number per topic."""
        own = {parameter.name: parameters[parameter.name] for parameter in self.declaration.own}
        cutoff = {self.declaration.at.name: self.at} if self.declaration.at else {}
        scores = self.declaration.function(view, **own, **cutoff)
        return np.where(view.defined, scores, np.nan)


def _declared(name: str, written: Mapping[str, Any], at: Any) -> Measure:
    from doxel.measures.table import by_name  # the table imports the measures, which import this module

    return Measure(by_name()[name].declaration, written, at)


def declare(name: str, function: Callable[..., Scores], *, view: type[View], **details: Any) -> Measure:
    """Declare a measure; the result has no written parameters."""
    return Measure(Declaration(name, function, view, **details))
