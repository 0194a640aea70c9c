"""Measures that users write: declared from a function, by ``@doxel.measure``, in a file or in a package.

A measure of one's own is a function of a view, or of one topic's results and gold.  Its parameters, its
cutoff and its explanation are derived from the function's signature and docstring.  From then on it is a
measure like any other: evaluations, comparisons, reports, curves, studies and explanations take it by name.

Packages offer measures under the entry point ``doxel.measures``.  On the command line, ``FILE.py:NAME``
loads one from a file, whose code is executed.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import numpy as np

from doxel.arguments import check_arguments
from doxel.errors import DoxelError, InputError, MeasureError
from doxel.files.function_files import call_function, describe_home, load_function, pack_object
from doxel.measures.declaration import Declaration, Measure, Scores, View
from doxel.measures.measure_parameters import CUTOFF, Choice, Flag, Kind, Number, Parameter, Text
from doxel.measures.measure_table import register_measure
from doxel.measures.topic_arrays import TopicArrays
from doxel.wording import quote_value

__all__ = [
    "ENTRY_POINTS",
    "list_packaged_measures",
    "load_measure",
    "load_packaged_measure",
    "measure",
]

ENTRY_POINTS = "doxel.measures"
"""The group of entry points under which packages offer measures."""

_WANTED = "a function of a view, such as NAME(view: ReadText), or of results and gold, NAME(results, gold)"
_SHARE = Parameter("cutoff", Number(0, 1), "the point at which it is measured")
_KINDS: dict[Any, Kind] = {int: Number(whole=True), float: Number(), bool: Flag(), str: Text()}


@check_arguments
def measure(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    view: type[Any] | None = None,
    formula: str = "",
    lower_is_better: bool = False,
) -> Any:
    """Declare a measure of your own, as a decorator.

    The measure is then known by its name, with parameters and a cutoff: ``"found(beta=2)@10"``.

    Parameters
    ----------
    function
        A function of one topic, ``name(results, gold)``, that returns a number; or a function of a view,
        ``name(view)``, that returns an array with one number per topic.  A parameter ``cutoff`` is the
        number after ``@``; a function of one topic that does not have it gets the first results only.
        Other parameters need a default, and become parameters of the measure.
    name
        The name of the measure; that of the function by default.
    view
        The view, if the function's first parameter is not annotated with it.
    formula
        The formula, as text, for explanations and reports; the first line of the docstring by default.
    lower_is_better
        Whether lower scores are better.

    Returns
    -------
    Measure
        The measure; ``declaration.function`` of it calls the function.

    Examples
    --------
    >>> import doxel
    >>> @doxel.measure
    ... def longest(results, gold):
    ...     "Relevant characters of the best result, as a share of all."
    ...     return results.relevant.max(initial=0) / gold.total
    >>> gold = [("1", "report", 100, 200)]
    >>> run = [("1", "report", 50, 150), ("1", "report", 110, 200)]
    >>> doxel.evaluate(run, gold, ["longest@1", longest]).means["score"].to_list()
    [0.5, 0.9]
    """
    if function is None:
        return lambda decorated: _declare(
            decorated, name=name, view=view, formula=formula, lower_is_better=lower_is_better
        )
    return _declare(function, name=name, view=view, formula=formula, lower_is_better=lower_is_better)


def _declare(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    view: type[Any] | None = None,
    formula: str = "",
    lower_is_better: bool = False,
    origin: _Origin | None = None,
) -> Measure:
    """Declare and register the measure of a function."""
    label = name or getattr(function, "__name__", "") or "of your own"
    signature = _Signature.read(function, label, view)
    docstring = inspect.getdoc(function) or ""
    first_line, _, rest = docstring.partition("\n")
    summary = first_line.strip().rstrip(".")
    formula_text = formula or summary
    measure = Measure(
        Declaration(
            label,
            _OwnFunction(label, function, signature.cuts_results, signature.optional_cutoff),
            signature.view,
            summary=summary or "a measure of your own",
            reference=f"your function {label}",
            own=signature.parameters,
            at=signature.cutoff,
            at_optional=signature.cuts_results or signature.optional_cutoff,
            bounds=(float("-inf"), float("inf")),
            lower_is_better=lower_is_better,
            made_of=f"{label} is a measure of your own; the columns are those of its view.",
            formula=formula_text,
            about="\n\n".join(
                filter(None, (rest.strip(), f"{label} = {formula_text}" if formula_text else ""))
            )
            or "A function without a docstring.",
            origin=origin or _Origin(*describe_home(function)),
        )
    )
    register_measure(measure)
    return measure


@dataclass(frozen=True)
class _Signature:
    """The declaration of a measure that follows from a function's signature."""

    view: type[View]
    parameters: tuple[Parameter, ...]
    cutoff: Parameter | None
    optional_cutoff: bool  # the function has a default for it
    cuts_results: bool  # the function of one topic does not take it and gets the first results only

    @classmethod
    def read(cls, function: Callable[..., Any], label: str, view: type[Any] | None) -> _Signature:
        """Read the signature of a function, or raise an error if it does not fit a measure."""
        try:
            parameters = list(inspect.signature(function).parameters.values())
            hints = _read_hints(function)
        except (TypeError, ValueError):
            raise MeasureError(
                f"measure {label!r}: wanted {_WANTED}, found {quote_value(function)}"
            ) from None
        data = [parameter for parameter in parameters if _holds_data(parameter)]
        others = [parameter for parameter in parameters if parameter not in data]
        call = f"{label}({', '.join(map(str, parameters))})"
        if len(data) not in {1, 2}:
            raise MeasureError(f"measure {label!r}: wanted {_WANTED}, found {call}")
        if len(data) == 2 and view is None:
            view = TopicArrays
        view = hints.get(data[0].name) if view is None else view
        if not (isinstance(view, type) and issubclass(view, View)) or (
            (view is TopicArrays) != (len(data) == 2)
        ):
            raise MeasureError(f"measure {label!r}: wanted {_WANTED}, found {call}")
        cutoff = next((parameter for parameter in others if parameter.name == "cutoff"), None)
        own = tuple(
            _read_parameter(parameter, hints, label, view) for parameter in others if parameter is not cutoff
        )
        takes_share = cutoff is not None and hints.get("cutoff") is float
        return cls(
            view=view,
            parameters=own,
            cutoff=None
            if cutoff is None and view is not TopicArrays
            else (_SHARE if takes_share else CUTOFF),
            optional_cutoff=cutoff is not None and cutoff.default is not cutoff.empty,
            cuts_results=cutoff is None and view is TopicArrays,
        )


def _holds_data(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter of a function is the view, the results or the gold."""
    by_position = parameter.kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD}
    return by_position and parameter.default is parameter.empty and parameter.name != "cutoff"


def _read_hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError):  # an annotation that cannot be evaluated here
        return {}


def _read_parameter(
    parameter: inspect.Parameter, hints: Mapping[str, Any], label: str, view: type[View]
) -> Parameter:
    """Return a parameter of a measure from one of its function, with a kind from annotation or default."""
    name, default = parameter.name, parameter.default
    owner = f"measure {label!r}: parameter {name!r}"
    if parameter.kind in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}:
        raise MeasureError(f"{owner}: wanted parameters with a name and a default, found {parameter}")
    if default is parameter.empty:
        raise MeasureError(f"{owner}: wanted a default, found none")
    if name in {declared.name for declared in view.parameters}:
        raise MeasureError(f"{owner}: wanted another name, because the view has a parameter {name!r}")
    kind = _choose_kind(hints.get(name), default)
    if kind is None:
        raise MeasureError(
            f"{owner}: wanted a number, a text or True or False as its default, found {quote_value(default)}"
        )
    declared = Parameter(name, kind, f"parameter {name} of your function")
    return replace(declared, default=declared.accept(default, owner=f"measure {label!r}"))


def _choose_kind(hint: Any, default: Any) -> Kind | None:
    """Return the kind of a parameter, or None if neither annotation nor default gives it."""
    if typing.get_origin(hint) is Literal:
        values = typing.get_args(hint)
        return Choice(values) if all(isinstance(value, str) for value in values) else None
    options = typing.get_args(hint) if typing.get_origin(hint) in {typing.Union, types.UnionType} else (hint,)
    hint = next((option for option in options if option in _KINDS), type(default))
    kind = _KINDS.get(hint)
    allows_none = type(None) in options or default is None
    return replace(kind, none=True) if isinstance(kind, Number) and allows_none else kind


@dataclass(frozen=True, eq=False)
class _OwnFunction:
    """A user's function as the function of a measure; its scores are checked."""

    name: str
    function: Callable[..., Any]
    cuts_results: bool
    optional_cutoff: bool

    def __call__(self, view: View, **own: Any) -> Scores:
        if self.optional_cutoff and own.get("cutoff") is None:
            own.pop("cutoff", None)  # the function's own default
        if isinstance(view, TopicArrays):
            return self._score_topics(view, own)
        scores = call_function(self.function, f"measure {self.name!r}", view, **own)
        return self._check(scores, (len(view.defined),), "one number per topic")

    def _score_topics(self, view: TopicArrays, own: dict[str, Any]) -> Scores:
        cutoff = own.pop("cutoff") if self.cuts_results else None
        scores = np.full(len(view.topics), np.nan)
        for number in np.flatnonzero(view.defined).tolist():
            label = f"measure {self.name!r}, topic {view.topics[number]}"
            results = view.results[number].head(cutoff)
            score = call_function(self.function, label, results, view.gold[number], **own)
            scores[number] = self._check(score, (), f"one number for topic {view.topics[number]}")
        return scores

    def _check(self, scores: Any, shape: tuple[int, ...], wanted: str) -> Scores:
        """Return scores as an array of this shape, or raise an error."""
        try:
            values = np.asarray(scores, dtype=np.float64) if scores is not None else None
        except (TypeError, ValueError):
            values = None
        if values is not None and values.shape == shape:
            return values
        if values is None or not values.shape:
            description = quote_value(scores)
        else:
            description = f"an array of {' x '.join(map(str, values.shape))}"
        many = f" (an array of {shape[0]})" if shape else ""
        raise MeasureError(f"measure {self.name!r}: wanted {wanted}{many}, found {description}")


@dataclass(frozen=True)
class _Origin:
    """Where other processes find a measure: its module and its name there, or a function that loads it."""

    module: str
    name: str
    load: Callable[[str], Any] | None = None  # called with the name

    @property
    def file(self) -> str:
        """The address FILE.py:NAME of a measure in a file, else an empty string."""
        return self.name if self.load is load_measure else ""

    def __call__(self, declaration: Declaration) -> tuple[Callable[..., Measure], tuple[Any, ...]]:
        """Return the function, with its arguments, that returns the measure in another process."""
        if self.load is not None:
            return self.load, (self.name,)

        def is_same(other: Any) -> bool:
            return isinstance(other, Measure) and other.declaration is declaration

        label = f"measure {declaration.name!r}"
        load, arguments = pack_object(declaration, (self.module, self.name), label, is_same)
        return _receive, (load, arguments)


def _receive(load: Callable[..., Any], arguments: tuple[Any, ...]) -> Measure:
    """Register a measure that another process has sent, and return it."""
    received = load(*arguments)
    measure: Measure = received if isinstance(received, Measure) else Measure(received)
    register_measure(measure)
    return measure


_loaded: dict[tuple[str, int], Measure] = {}  # by address and time of the file's last change


def load_measure(source: str) -> Measure:
    """Return the measure ``FILE.py:NAME`` and register it; the code of the file is executed.

    The object may be a function as well; it is declared like a decorated one.
    """
    path = Path(source.rpartition(":")[0])
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    key = (f"{path.resolve()}:{source.rpartition(':')[2]}", changed)
    if key in _loaded:
        register_measure(_loaded[key])
        return _loaded[key]
    _, loaded, address = load_function(source, "a measure", _WANTED, _is_measure)
    if not isinstance(loaded, Measure):
        measure = _declare(loaded, origin=_Origin("", address, load_measure))
    else:
        declaration = replace(loaded.declaration, origin=_Origin("", address, load_measure))
        measure = Measure(declaration, loaded.written, loaded.at)
        register_measure(measure)
    _loaded[key] = measure
    return measure


def _is_measure(thing: Any) -> bool:
    return isinstance(thing, Measure) or inspect.isfunction(thing)


@cache
def _find_entry_points(path: tuple[str, ...]) -> dict[str, metadata.EntryPoint]:
    del path  # the folders in which packages are looked for: the key of the cache
    return {entry.name: entry for entry in metadata.entry_points(group=ENTRY_POINTS)}


def load_packaged_measure(name: str) -> Measure | None:
    """Return the measure that an installed package offers under a name, or None; its code is executed."""
    entry = _find_entry_points(tuple(sys.path)).get(name)
    if entry is None:
        return None
    package = entry.dist.name if entry.dist is not None else "a package"
    label = f"measure {name!r} of {package}"
    try:
        offered = entry.load()
    except DoxelError:
        raise
    except (Exception, SystemExit) as error:  # any exception is the author's to fix
        raise InputError(f"{label} cannot be loaded", found=f"{type(error).__name__}: {error}") from error
    if not _is_measure(offered):
        raise InputError(label, wanted=_WANTED, found=quote_value(offered))
    origin = _Origin("", name, load_packaged_measure)
    measure = offered if isinstance(offered, Measure) else _declare(offered, name=name, origin=origin)
    if measure.declaration.name != name:
        raise InputError(label, wanted=f"a measure called {name}", found=measure.declaration.name)
    register_measure(measure)
    return measure


def list_packaged_measures() -> Iterator[tuple[str, str]]:
    """Yield the names of the measures that installed packages offer, each with its package."""
    for name, entry in sorted(_find_entry_points(tuple(sys.path)).items()):
        yield name, entry.dist.name if entry.dist is not None else "a package"
