"""The declaration of measures: a name, a pure function over a view, parameters, and requirements of a run.

``nxCG(alpha=1) @ 10`` builds the measure that prints as ``nxCG(alpha=1)@10``, parses back from that
string and compares equal to it.  Parameters that were written appear in the name; the others have their
defaults or depend on the run and the assessments.

Parsing, printing, checks, help and documentation all derive from these declarations.  Requirements of a run
are names; the evaluation checks and repairs runs.

Beside its function a measure declares the terms that it adds up over the ranks and what divides them; a view
declares the quantities that it holds by rank.  Explanations of scores derive from both.

A measure keeps the laws of an audit (see *auditing*) that bind every measure, and those of the kinds that it
declares.  A law that it breaks on purpose is declared with the reason, by the measure or by its view.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
import numpy.typing as npt

from doxel.errors import MeasureError
from doxel.measures.measure_parameters import DEPENDS, UNJUDGED, Number, Parameter, show_value
from doxel.wording import did_you_mean, quote_value

__all__ = [
    "BOUND",
    "DIVIDED_BY_CUTOFF",
    "FLOOR",
    "GROUPED",
    "KINDS",
    "NO_OVERLAP",
    "ONE_PER_DOCUMENT",
    "READING",
    "UNDIVIDED",
    "Declaration",
    "Measure",
    "Properties",
    "Quantity",
    "Scores",
    "View",
    "declare",
    "get_article_requirements",
    "get_reading_requirements",
]

Scores = npt.NDArray[np.float64]
Computed = TypeVar("Computed")

KINDS: Final = {
    "text": "a share of the text of all results: where results are cut does not matter",
    "recall": "a share of what there is to find: one more relevant result never lowers it",
    "mean": "a mean over all assessed topics: a topic without results counts as 0",
}
"""The kinds of measures that laws of an audit speak of; every score of doxel is a mean of this kind."""

_CUTOFF_EXEMPTIONS: Final = dict.fromkeys(
    ("perfect", "best", "splitting", "overlapping"),
    "the cutoff counts results, and the perfect answer may have more or fewer",
)


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity in the explanation of a score: its symbol in the paper, its meaning, and its values.

    ``values`` is a function of a view and of those of the measure's own parameters that it names.  It returns
    an array of topics x ranks, or for a divisor one number per topic.
    """

    symbol: str
    about: str
    values: Callable[..., Scores | None]

    def compute(self, view: View, parameters: Mapping[str, Any]) -> Scores | None:
        """Return the values; None if the parameters leave the quantity undefined."""
        names = inspect.signature(self.values).parameters
        return self.values(view, **{name: value for name, value in parameters.items() if name in names})


@dataclass(frozen=True, eq=False)  # arrays have no single truth value, and start-up is faster without
class View:
    """One run as the arrays that a family of measures needs; subclasses declare the arrays.

    The first axis is the topic, the second the rank.  ``parameters`` belong to the view; every measure
    over the view has them too.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    limited_by: ClassVar[str] = "results"  # the parameter ``limit`` counts "results" or "articles"
    ranks: ClassVar[str] = (
        "results"  # the second axis: "results", "articles" by first occurrence, or "chunks"
    )
    quantities: ClassVar[tuple[Quantity, ...]] = ()  # by rank, for explanations
    audited_as: ClassVar[str] = "spans"  # the cases of an audit: "spans", "documents", "elements", "points"
    breaks: ClassVar[Mapping[str, str]] = {}  # laws that all its measures break, with the reason
    keeps_unjudged: ClassVar[bool] = False  # the view counts unjudged results: they cannot be removed

    @property
    def defined(self) -> npt.NDArray[np.bool_]:
        """Whether each topic has anything to find; if not, all its scores are undefined."""
        raise NotImplementedError

    def find_defined(self, parameters: Mapping[str, Any]) -> npt.NDArray[np.bool_]:
        """Return whether each topic has anything to find for a measure with these parameters."""
        del parameters
        return self.defined

    @staticmethod
    def check_parameters(parameters: Mapping[str, Any]) -> None:
        """Raise an error if parameters of the view conflict with each other."""

    @staticmethod
    def explain_gap(parameters: Mapping[str, Any]) -> str:
        """Return why a topic that has something to find has no score."""
        del parameters
        return "the measure has no value there"

    def compute_once(self, key: Hashable, compute: Callable[[], Computed]) -> Computed:
        """Return ``compute()``, computed once per key, so that the points of a curve share their work."""
        cache: dict[Hashable, Any] = vars(self).setdefault("_kept", {})
        if key not in cache:
            cache[key] = compute()
        value: Computed = cache[key]
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
    defaults: Mapping[str, Any] = field(default_factory=dict)  # where they differ from those of the view
    aliases: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    lower_is_better: bool = False
    requires: Callable[[Mapping[str, Any]], tuple[str, ...]] = lambda parameters: ()  # noqa: ARG005
    check: Callable[[Mapping[str, Any]], None] = lambda parameters: None  # noqa: ARG005
    years: str = ""
    properties: Properties = field(default_factory=Properties)
    terms: Quantity | None = None  # the score is the sum of the terms in rank order, divided by the divisor
    divisor: Quantity | None = None
    made_of: str = ""  # a sentence for a measure that is not a plain sum: what its terms are
    residual: str | Callable[[Mapping[str, Any]], str] = ""  # BOUND, FLOOR or READING; "": it has none
    quantities: tuple[Quantity, ...] = ()  # by rank, for explanations, beside those of the view
    kinds: tuple[str, ...] = ()  # the kinds whose laws it keeps, of KINDS
    # laws that it breaks on purpose, with the reasons; a function if they depend on the parameters
    breaks: Mapping[str, str] | Callable[[Mapping[str, Any]], Mapping[str, str]] = field(default_factory=dict)
    formula: str = ""  # as text, for a measure that is not a plain sum
    about: str = ""  # its explanation, if that is not the docstring of its module
    # for a measure that is not doxel's: returns the function, with its arguments, that gets it in a process
    origin: Callable[[Declaration], tuple[Callable[..., Measure], tuple[Any, ...]]] | None = None

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """All parameters by name: the measure's own, then its view's; with ``limit`` comes ``unjudged``."""
        both: list[Parameter] = []
        for parameter in (*self.own, *self.view.parameters):
            both += [UNJUDGED] if parameter.name == "limit" and not self.view.keeps_unjudged else []
            both.append(parameter)
        return {
            parameter.name: replace(parameter, default=self.defaults.get(parameter.name, parameter.default))
            for parameter in both
        }

    @property
    def explanation(self) -> str:
        """The explanation of the measure: the docstring of its module."""
        return self.about or inspect.getdoc(inspect.getmodule(self.function)) or ""


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with the parameters that were written; the rest have their defaults."""

    declaration: Declaration
    written: Mapping[str, Any] = field(default_factory=dict)
    at: Any = None

    def __call__(self, **parameters: Any) -> Measure:
        """Return the measure with these parameters written."""
        accepted = self.declaration.parameters
        for name in parameters:
            if name not in accepted:
                names = ", ".join(accepted) or "none"
                raise MeasureError(
                    f"{self.declaration.name} has no parameter {quote_value(name)}; it has: {names}"
                    f"{did_you_mean(name, accepted)}"
                )
        values = {
            name: accepted[name].accept(value, owner=self.declaration.name)
            for name, value in parameters.items()
        }
        return Measure(self.declaration, {**self.written, **values}, self.at)

    def __matmul__(self, at: Any) -> Measure:
        """Return the measure at a cutoff."""
        cutoff = self.declaration.at
        if cutoff is None:
            raise MeasureError(f"{self.declaration.name} does not take a cutoff (@)")
        return Measure(self.declaration, self.written, cutoff.accept(at, owner=self.declaration.name))

    @cached_property
    def name(self) -> str:
        """The canonical name."""
        parameters = self.declaration.parameters
        arguments = [
            f"{name}={show_value(value)}"
            for name, value in sorted(self.written.items())
            if parameters[name].default is DEPENDS or value != parameters[name].default
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
        origin = self.declaration.origin
        if origin is not None:
            return _restore_foreign, (*origin(self.declaration), dict(self.written), self.at)
        return _restore_measure, (self.declaration.name, dict(self.written), self.at)

    def resolve_parameters(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
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
        parameters = self.resolve_parameters({})
        for name in self.written:
            needed = declaration.parameters[name].needs
            if needed and parameters[needed] is None:
                raise MeasureError(f"{declaration.name}: {name}= needs {needed}=, found none")
        declaration.view.check_parameters(parameters)
        declaration.check(parameters)
        return self

    def list_exempt_laws(self) -> dict[str, str]:
        """Return the laws of an audit that do not apply to the measure, with the reason."""
        return {} if self.rank_cutoff is None else dict(_CUTOFF_EXEMPTIONS)

    def list_broken_laws(self) -> dict[str, str]:
        """Return the laws of an audit that the measure breaks on purpose, with the reason."""
        breaks = self.declaration.breaks
        own = breaks(self.resolve_parameters({})) if callable(breaks) else breaks
        return {**self.declaration.view.breaks, **own}

    def find_residual(self, parameters: Mapping[str, Any]) -> str:
        """Return the kind of score plus residual: BOUND, FLOOR, READING, or "" without a residual."""
        kind = self.declaration.residual
        at = {} if self.declaration.at is None else {self.declaration.at.name: self.at}
        return kind if isinstance(kind, str) else kind({**parameters, **at})

    @property
    def rank_cutoff(self) -> int | None:
        """The cutoff, if it is a number of results or articles."""
        at = self.declaration.at
        is_rank = at is not None and isinstance(at.kind, Number) and at.kind.whole
        return int(self.at) if is_rank and self.at is not None else None

    def compute(self, view: View, parameters: Mapping[str, Any]) -> Scores:
        """Return the scores of one run, one number per topic."""
        scores = self.declaration.function(view, **self._select_own(parameters))
        return np.where(view.find_defined(parameters), scores, np.nan)

    def compute_sum(self, view: View, parameters: Mapping[str, Any]) -> tuple[Scores, Scores] | None:
        """Return the terms of the scores (topics x ranks) and their divisors; None if there is no sum."""
        declaration, own = self.declaration, self._select_own(parameters)
        if declaration.terms is None or declaration.divisor is None:
            return None
        terms = declaration.terms.compute(view, own)
        divisor = None if terms is None else declaration.divisor.compute(view, own)
        return None if terms is None or divisor is None else (terms, divisor)

    def compute_quantities(self, view: View, parameters: Mapping[str, Any]) -> dict[Quantity, Scores]:
        """Return the quantities of the view and of the measure by rank; the latter replace the former."""
        own = self._select_own(parameters)
        by_symbol = {
            quantity.symbol: quantity for quantity in (*view.quantities, *self.declaration.quantities)
        }
        quantities = {quantity: quantity.compute(view, own) for quantity in by_symbol.values()}
        return {quantity: values for quantity, values in quantities.items() if values is not None}

    def _select_own(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the measure's function: its own parameters and the cutoff."""
        own = {parameter.name: parameters[parameter.name] for parameter in self.declaration.own}
        return {**own, self.declaration.at.name: self.at} if self.declaration.at else own


def _restore_measure(name: str, written: Mapping[str, Any], at: Any) -> Measure:
    from doxel.measures.measure_table import map_measures

    return Measure(map_measures()[name].declaration, written, at)


def _restore_foreign(
    load: Callable[..., Measure], arguments: tuple[Any, ...], written: Mapping[str, Any], at: Any
) -> Measure:
    return Measure(load(*arguments).declaration, written, at)


def declare(name: str, function: Callable[..., Scores], *, view: type[View], **details: Any) -> Measure:
    """Declare a measure; the result has no written parameters."""
    return Measure(Declaration(name, function, view, **details))


BOUND: Final = "upper bound"
"""Score and residual together are at least the score under any judgements of the unjudged documents."""
FLOOR: Final = "never below the score"
"""The residual is never negative, but judgements could raise the score further."""
READING: Final = "a reading"
"""The residual may be negative: further relevant text also enlarges what there is to find."""

DIVIDED_BY_CUTOFF: Final = Quantity(
    "k", "the cutoff", lambda view, cutoff: np.full(len(view.defined), float(cutoff))
)
"""The divisor of a mean over the first k ranks."""

UNDIVIDED: Final = Quantity("1", "nothing divides the sum", lambda view: np.ones(len(view.defined)))
"""The divisor of a plain sum."""


NO_OVERLAP = "no overlap"
GROUPED = "grouped articles"
ONE_PER_DOCUMENT = "one result per document"


def get_reading_requirements(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Require no overlap, except in Thorough, where each character counts only the first time."""
    return () if parameters.get("task") == "thorough" else (NO_OVERLAP,)


def get_article_requirements(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Require grouped articles without overlap, or one result per document for entry points."""
    return (ONE_PER_DOCUMENT,) if parameters.get("score") == "bep" else (GROUPED, NO_OVERLAP)
