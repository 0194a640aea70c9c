"""Check the arguments of public functions against their annotations.

A wrong type is reported as :class:`~doxel.errors.InputError` with the name of the parameter, before it
causes an error in a library, which would not name it.  Parameters that are annotated with ``Any`` take many
kinds of data, and their functions check them themselves.

In a process that was forked after doxel had been used, public functions raise an error instead of waiting
for ever for threads that the fork has left behind.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import math
import numbers
import os
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any, TypeVar

from doxel.errors import DoxelError, InputError
from doxel.wording import quote_value

__all__ = ["check_argument", "check_arguments", "check_methods"]

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

_MOST_ITEMS = 10_000  # of longer sequences, only the first items are checked
_LARGEST_INTEGER = 2**63


class _Process:
    """Remembers whether this process was forked from one that had used doxel.

    The threads of Polars do not survive a fork: in the new process, its first parallel operation would wait
    for them for ever.
    """

    def __init__(self) -> None:
        self.is_used = self.is_broken = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave_threads)

    def _leave_threads(self) -> None:
        self.is_broken = self.is_broken or self.is_used

    def use(self) -> None:
        """Record that this process uses doxel; raise an error if doxel would hang in it."""
        self.is_used = True
        if self.is_broken:
            raise DoxelError(
                "this process was forked from one that had used doxel, whose threads do not survive a fork: "
                "start worker processes with multiprocessing.get_context('spawn') or 'forkserver'"
            )


_process = _Process()


@dataclass(frozen=True, slots=True)
class _ArgumentKind:
    """The values that a parameter accepts: a description, a test, and whether they are sequences."""

    wanted: str
    accepts: Callable[[Any], bool]
    is_sequence: bool = False


def _is_integer(value: Any) -> bool:
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return is_integer and -_LARGEST_INTEGER <= value < _LARGEST_INTEGER


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that no float can represent
        return False


def _is_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return value.isascii() or bool(value.encode())
    except UnicodeEncodeError:  # half of a pair of surrogates, which no file can hold
        return False


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ == "bool_" or type(value).__name__ == "bool"


_SIMPLE_KINDS: dict[Any, _ArgumentKind] = {
    bool: _ArgumentKind("True or False", _is_truth),
    int: _ArgumentKind("a whole number", _is_integer),
    float: _ArgumentKind("a finite number", _is_number),
    str: _ArgumentKind("a string", _is_text),
    type(None): _ArgumentKind("None", lambda value: value is None),
    os.PathLike: _ArgumentKind("a path", lambda value: isinstance(value, os.PathLike)),
}
_UNCHECKED = _ArgumentKind("anything", lambda _: True)


def check_arguments(function: Function) -> Function:
    """Make a function raise InputError for arguments that do not fit its annotations.

    >>> @check_arguments
    ... def repeat(word: str, times: int = 2) -> str:
    ...     return word * times
    >>> repeat("na"), repeat("na", times=3)
    ('nana', 'nanana')
    >>> repeat("na", 2.5)
    Traceback (most recent call last):
    doxel.errors.InputError: times: wanted a whole number, found 2.5
    """
    kinds: dict[str, tuple[_ArgumentKind, Any]] = {}
    names: list[str] = []
    variadic_names: list[str] = []  # at most one: it takes all further positional arguments

    @functools.wraps(function)
    def check_and_call(*arguments: Any, **keywords: Any) -> Any:
        _process.use()
        if not kinds:  # only now, because annotations may name classes that are defined later
            _collect_kinds(function, kinds, names, variadic_names)
        labels = chain(names, repeat(variadic_names[0]) if variadic_names else ())
        # arguments without a parameter are passed on, so that Python reports them
        checked = [_check(name, value, *kinds[name]) for name, value in zip(labels, arguments, strict=False)]
        checked_keywords = {
            name: _check(name, value, *kinds[name]) if name in kinds else value
            for name, value in keywords.items()
        }
        return function(*checked, *arguments[len(checked) :], **checked_keywords)

    return typing.cast("Function", check_and_call)


_CHECKED_OPERATIONS = {"__init__", "__getitem__", "__iter__", "__str__", "_repr_html_"}


def check_methods(owner: Class) -> Class:
    """Make the public methods of a class, and its constructor, check their arguments.

    Properties take no arguments; they only check that this process may use doxel.

    >>> @check_methods
    ... class Shelf:
    ...     def take(self, number: int) -> int:
    ...         return number
    >>> Shelf().take(None)
    Traceback (most recent call last):
    doxel.errors.InputError: number: wanted a whole number, found None
    """
    for name, member in list(vars(owner).items()):
        if name.startswith("_") and name not in _CHECKED_OPERATIONS:
            continue
        if isinstance(member, types.FunctionType):
            setattr(owner, name, check_arguments(member))
        elif isinstance(member, classmethod | staticmethod):
            setattr(owner, name, type(member)(check_arguments(member.__func__)))
        elif isinstance(member, property) and member.fget is not None:
            setattr(owner, name, property(_check_process(member.fget), member.fset, member.fdel))
        elif isinstance(member, functools.cached_property):
            member.func = _check_process(member.func)
    return owner


def _check_process(getter: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the function of a property, preceded by a check that this process may use doxel."""

    @functools.wraps(getter)
    def check_and_get(instance: Any) -> Any:
        _process.use()
        return getter(instance)

    return check_and_get


def check_argument(name: str, value: Any, annotation: Any) -> None:
    """Raise InputError if a value does not fit an annotation.

    >>> check_argument("level", "high", float)
    Traceback (most recent call last):
    doxel.errors.InputError: level: wanted a finite number, found 'high'
    """
    _check(name, value, _build_kind(annotation), None)


def _check(name: str, value: Any, kind: _ArgumentKind, default: Any) -> Any:
    """Return a value after checking it; a fraction becomes a float, an iterator becomes a list."""
    if type(value).__name__ == "Fraction":  # NumPy cannot compute with fractions
        value = float(value)
    if kind.is_sequence and isinstance(value, Iterable) and not isinstance(value, Collection | os.PathLike):
        value = list(value)
    if type(value).__name__ == "ndarray" and value.ndim == 0:  # it has __iter__, which fails
        raise InputError(name, wanted=kind.wanted, found="an array without dimensions")
    if value is not default and not kind.accepts(value):
        raise InputError(name, wanted=kind.wanted, found=_describe(value))
    return value


def _describe(value: Any) -> str:
    """Describe a value for a message; for large objects, only their type."""
    simple = (str, bytes, int, float, complex, type(None), list, tuple, dict, set)
    return quote_value(value) if isinstance(value, simple) else f"an object of type {type(value).__name__}"


def _collect_kinds(
    function: Callable[..., Any],
    kinds: dict[str, tuple[_ArgumentKind, Any]],
    names: list[str],
    variadic_names: list[str],
) -> None:
    """Add all parameters of a function to ``kinds``, and the positional ones to the two lists of names."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        annotation = _evaluate_annotation(parameter.annotation, function)
        default = function if parameter.default is parameter.empty else parameter.default
        kinds[parameter.name] = (_build_kind(annotation), default)
        if parameter.kind is parameter.VAR_POSITIONAL:
            variadic_names.append(parameter.name)
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(parameter.name)


def _evaluate_annotation(annotation: Any, function: Callable[..., Any]) -> Any:
    """Return the type that an annotation names; Any if it cannot be found."""
    if not isinstance(annotation, str):
        return annotation
    names = collections.ChainMap(function.__globals__, _PublicNames())
    try:
        return eval(annotation, {}, names)  # noqa: S307 -- the annotations are our own
    except NameError:
        return Any


class _PublicNames(dict[str, Any]):
    """The public classes, for annotations whose classes are imported for type checkers only."""

    def __missing__(self, name: str) -> Any:
        package = sys.modules[__package__ or "doxel"]
        if name not in package.__all__:
            raise KeyError(name)
        return getattr(package, name)


def _build_kind(annotation: Any) -> _ArgumentKind:
    """Return the kind of values that an annotation accepts."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return _join_kinds([_build_kind(part) for part in parts])
    if origin is typing.Literal:
        return _ArgumentKind(" or ".join(map(str, parts)), lambda value: _is_text(value) and value in parts)
    if origin is collections.abc.Callable or getattr(annotation, "_is_protocol", False):
        return _ArgumentKind("a function", callable)
    return _SIMPLE_KINDS.get(origin or annotation) or _build_class_kind(origin or annotation, parts)


def _build_class_kind(value_type: Any, parts: tuple[Any, ...]) -> _ArgumentKind:
    """Return the kind of values of a class, or of a container whose items have a kind."""
    if not isinstance(value_type, type) or value_type in (Any, object, inspect.Parameter.empty):
        return _UNCHECKED
    if value_type.__name__ == "ndarray" or (issubclass(value_type, Iterable) and parts[:1] == (int,)):
        return _WHOLE_NUMBERS
    if issubclass(value_type, Mapping):  # its items are checked where they are used
        return _ArgumentKind("a dictionary", lambda value: isinstance(value, Mapping))
    if issubclass(value_type, Iterable) and parts:
        return _build_sequence_kind(_build_kind(parts[0]))
    article = "an" if value_type.__name__[0] in "AEIOU" else "a"
    return _ArgumentKind(f"{article} {value_type.__name__}", lambda value: isinstance(value, value_type))


def _join_kinds(kinds: list[_ArgumentKind]) -> _ArgumentKind:
    if _UNCHECKED in kinds:
        return _UNCHECKED
    wanted = " or ".join(dict.fromkeys(kind.wanted for kind in kinds))
    is_sequence = any(kind.is_sequence for kind in kinds)
    return _ArgumentKind(wanted, lambda value: any(kind.accepts(value) for kind in kinds), is_sequence)


def _are_whole_numbers(value: Any) -> bool:
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        return bool(value.ndim == 1 and (value.dtype.kind in "iu" or not len(value)))
    return isinstance(value, list | tuple | range) and all(map(_is_integer, value))


_WHOLE_NUMBERS = _ArgumentKind("an array of whole numbers", _are_whole_numbers)


def _build_sequence_kind(item: _ArgumentKind) -> _ArgumentKind:
    """Return the kind of sequences."""

    def accepts(value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return False
        if len(getattr(value, "shape", (0,))) != 1:  # a table or a matrix
            return False
        return all(map(item.accepts, islice(value, _MOST_ITEMS)))

    return _ArgumentKind(f"a sequence with {item.wanted} each", accepts, is_sequence=True)
