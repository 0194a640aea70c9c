"""The syntax tree of a query, and its canonical form.

::

    Query            parts: QueryPart...        //article[...]//sec[...]
    QueryPart        path, condition            //article[...]; the last one may have no condition
    QueryPath        steps: PathStep...         //article//sec, or empty: the element itself
    PathStep         names, axis, kind          //sec, //(sec|p), //*, //@year, and /fm of the dialect of 2003
    And, Or          parts: conditions
    About            path, terms                about(.//p, +wanted -unwanted "a phrase")
    ValueComparison  path, operator, value      .//yr >= 1998
    Keywords         terms: Term...             a query without structure
    Term             words, sign, is_phrase

All of them are frozen and compare by value.  A tree that cannot be written as a query cannot be built.

The canonical form parses to the same query.  Alternatives and terms keep their order.  An ``and`` inside
an ``or`` is put in brackets, and the other way round, so that it cannot be misread.  Child steps and
strings of the dialect of 2003 are kept, because NEXI has none; its quoted numbers and terms lose their
quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from doxel.errors import InputError

__all__ = [
    "NAME_PATTERN",
    "OPERATORS",
    "WORD_PATTERN",
    "About",
    "And",
    "Condition",
    "Keywords",
    "Or",
    "PathStep",
    "Query",
    "QueryPart",
    "QueryPath",
    "Term",
    "ValueComparison",
    "path_to_text",
    "to_text",
]

NAME_PATTERN = r"[^\W\d][\w.\-]*(?::[^\W\d][\w.\-]*)?"
WORD_PATTERN = r'[^\s"()\[\],]+'
OPERATORS = ("<=", ">=", "<", "=", ">")
_NAME, _WORD = re.compile(NAME_PATTERN), re.compile(WORD_PATTERN)

Operator: TypeAlias = Literal["<", "<=", "=", ">", ">="]


def _build_error(piece: str, wanted: str, found: object) -> InputError:
    return InputError(f"{piece} of a query", wanted=wanted, found=repr(found))


@dataclass(frozen=True)
class Term:
    """A word, or the words of a phrase; ``sign`` is ``+`` for important, ``-`` for unwanted, or empty."""

    words: tuple[str, ...]
    sign: Literal["", "+", "-"] = ""
    is_phrase: bool = False

    def __post_init__(self) -> None:
        is_valid = bool(self.words) and all(_WORD.fullmatch(word) for word in self.words)
        if not is_valid or (not self.is_phrase and len(self.words) != 1):
            raise _build_error("a term", 'words without white space, " ( ) [ ] and commas', self.words)
        if self.sign not in {"", "+", "-"}:
            raise _build_error("the sign", "+, - or none", self.sign)
        if not self.is_phrase and not self.sign and self.words[0][0] in "+-":
            raise _build_error("a word", "one that does not begin with + or -", self.words[0])

    def __str__(self) -> str:
        text = " ".join(self.words)
        return f'{self.sign}"{text}"' if self.is_phrase else f"{self.sign}{text}"


@dataclass(frozen=True)
class Keywords:
    """A query without structure, such as the title of a CO topic."""

    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        if not self.terms:
            raise _build_error("the terms", "at least one", ())
        if str(self.terms[0]).startswith("/"):
            raise _build_error("the first word", "one that does not begin with /", str(self.terms[0]))


@dataclass(frozen=True)
class PathStep:
    """One step of a path: elements with one of the names, elements of any name (no names), or an attribute.

    ``is_child``: directly below, which only the dialect of 2003 has.
    """

    names: tuple[str, ...] = ()
    is_child: bool = False
    is_attribute: bool = False

    def __post_init__(self) -> None:
        if not all(_NAME.fullmatch(name) for name in self.names):
            raise _build_error("a step", "names that XML allows", self.names)
        if self.is_attribute and len(self.names) != 1:
            raise _build_error("an attribute", "one name", self.names)

    @property
    def local_names(self) -> tuple[str, ...]:
        """The names without namespace prefixes, like the names of elements in collections."""
        return tuple(name.rpartition(":")[2] for name in self.names)


@dataclass(frozen=True)
class QueryPath:
    """Steps, each below the previous one; without steps, the element itself."""

    steps: tuple[PathStep, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __add__(self, other: QueryPath) -> QueryPath:
        return QueryPath((*self.steps, *other.steps))


@dataclass(frozen=True)
class About:
    """The condition that an element, or an element at a path inside it, is about the terms."""

    path: QueryPath
    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        if not self.terms:
            raise _build_error("the terms of about", "at least one", ())


@dataclass(frozen=True)
class ValueComparison:
    """The condition that a value at a path compares to a number, or in the dialect of 2003 to a string."""

    path: QueryPath
    operator: Operator
    value: float | str

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise _build_error("the operator", f"one of {' '.join(OPERATORS)}", self.operator)
        if isinstance(self.value, str) and (not self.value.strip() or "'" in self.value):
            raise _build_error("a string", "a string that is not empty, without '", self.value)


@dataclass(frozen=True)
class And:
    """Conditions that must all hold."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _check_several(self.parts)


@dataclass(frozen=True)
class Or:
    """Conditions of which at least one must hold."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _check_several(self.parts)


def _check_several(parts: tuple[Condition, ...]) -> None:
    if len(parts) < 2:
        raise _build_error("and, or", "at least two conditions", parts)


Condition: TypeAlias = About | ValueComparison | And | Or


@dataclass(frozen=True)
class QueryPart:
    """A path, and the condition on the elements that it leads to."""

    path: QueryPath
    condition: Condition | None = None


@dataclass(frozen=True)
class Query:
    """A query with structure; its target is the end of its last path."""

    parts: tuple[QueryPart, ...]

    def __post_init__(self) -> None:
        conditions = [part.condition for part in self.parts]
        if not conditions or conditions[0] is None or None in conditions[:-1]:
            raise _build_error("the paths", "a condition after each path except the last", self.parts)
        if not all(part.path for part in self.parts):
            raise _build_error("a path", "at least one step", QueryPath())

    @property
    def target(self) -> QueryPath:
        """The whole path to the elements to be returned."""
        return QueryPath(tuple(step for part in self.parts for step in part.path.steps))


def to_text(query: Query | Keywords) -> str:
    """Return the canonical form of a query.

    >>> from doxel.topics.nexi.query_parser import parse
    >>> to_text(parse("//( p |sec )[ about( . ,x  y) AND .//@year='2000']"))
    '//(p|sec)[about(., x y) and .//@year = 2000]'
    """
    if isinstance(query, Keywords):
        return _print_terms(query.terms)
    return "".join(
        path_to_text(part.path) + ("" if part.condition is None else f"[{_print_condition(part.condition)}]")
        for part in query.parts
    )


def _print_terms(terms: tuple[Term, ...]) -> str:
    return " ".join(map(str, terms))


def path_to_text(path: QueryPath) -> str:
    """Return the text of a path in a query."""
    return "".join(map(_print_step, path.steps))


def _print_step(step: PathStep) -> str:
    names = "|".join(step.names) or "*"
    name = f"({names})" if len(step.names) > 1 else names
    return f"{'/' if step.is_child else '//'}{'@' if step.is_attribute else ''}{name}"


def _print_condition(condition: Condition) -> str:
    if isinstance(condition, About):
        return f"about(.{path_to_text(condition.path)}, {_print_argument(condition.terms)})"
    if isinstance(condition, ValueComparison):
        return f".{path_to_text(condition.path)} {condition.operator} {_print_value(condition.value)}"
    word = " and " if isinstance(condition, And) else " or "
    return word.join(
        f"({_print_condition(part)})" if isinstance(part, And | Or) else _print_condition(part)
        for part in condition.parts
    )


def _print_argument(terms: tuple[Term, ...]) -> str:
    """Return the terms of an ``about``; terms that look quoted are put in quotes."""
    text = _print_terms(terms)
    return f"'{text}'" if len(text) > 1 and text[0] == text[-1] == "'" else text


def _print_value(value: float | str) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(float(value))
