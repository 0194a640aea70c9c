"""The syntax tree of a query.

::

    Query       parts: Part...            //article[...]//sec[...]
    Part        path: Path, condition     //article[...]; the last one may have no condition
    Path        steps: Step...            //article//sec, or empty: the element itself
    Step        names, axis, kind         //sec, //(sec|p), //*, //@year, and /fm of the dialect of 2003
    And, Or     parts: conditions
    About       path: Path, terms         about(.//p, +wanted -unwanted "a phrase")
    Comparison  path, operator, value     .//yr >= 1998
    Keywords    terms: Term...            a query without structure
    Term        words, sign, is_phrase

All of them are frozen and compare by value.  A tree that cannot be written as a query cannot be built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from doxel.errors import InputError

__all__ = [
    "NAME",
    "OPERATORS",
    "WORD",
    "About",
    "And",
    "Comparison",
    "Condition",
    "Keywords",
    "Or",
    "Part",
    "Path",
    "Query",
    "Step",
    "Term",
]

NAME = r"[^\W\d][\w.\-]*(?::[^\W\d][\w.\-]*)?"
WORD = r'[^\s"()\[\],]+'
OPERATORS = ("<=", ">=", "<", "=", ">")
_NAME, _WORD = re.compile(NAME), re.compile(WORD)

Operator: TypeAlias = Literal["<", "<=", "=", ">", ">="]


def _refuse(piece: str, wanted: str, found: object) -> InputError:
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
            raise _refuse("a term", 'words without white space, " ( ) [ ] and commas', self.words)
        if self.sign not in {"", "+", "-"}:
            raise _refuse("the sign", "+, - or none", self.sign)
        if not self.is_phrase and not self.sign and self.words[0][0] in "+-":
            raise _refuse("a word", "one that does not begin with + or -", self.words[0])

    def __str__(self) -> str:
        text = " ".join(self.words)
        return f'{self.sign}"{text}"' if self.is_phrase else f"{self.sign}{text}"


@dataclass(frozen=True)
class Keywords:
    """A query without structure, such as the title of a CO topic."""

    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        if not self.terms:
            raise _refuse("the terms", "at least one", ())
        if str(self.terms[0]).startswith("/"):
            raise _refuse("the first word", "one that does not begin with /", str(self.terms[0]))


@dataclass(frozen=True)
class Step:
    """One step of a path: elements with one of the names, elements of any name (no names), or an attribute.

    ``is_child``: directly below, which only the dialect of 2003 has.
    """

    names: tuple[str, ...] = ()
    is_child: bool = False
    is_attribute: bool = False

    def __post_init__(self) -> None:
        if not all(_NAME.fullmatch(name) for name in self.names):
            raise _refuse("a step", "names that XML allows", self.names)
        if self.is_attribute and len(self.names) != 1:
            raise _refuse("an attribute", "one name", self.names)

    @property
    def local_names(self) -> tuple[str, ...]:
        """The names without namespace prefixes, like the names of elements in collections."""
        return tuple(name.rpartition(":")[2] for name in self.names)


@dataclass(frozen=True)
class Path:
    """Steps, each below the previous one; without steps, the element itself."""

    steps: tuple[Step, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __add__(self, other: Path) -> Path:
        return Path((*self.steps, *other.steps))


@dataclass(frozen=True)
class About:
    """The condition that an element, or an element at a path inside it, is about the terms."""

    path: Path
    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        if not self.terms:
            raise _refuse("the terms of about", "at least one", ())


@dataclass(frozen=True)
class Comparison:
    """The condition that a value at a path compares to a number, or in the dialect of 2003 to a string."""

    path: Path
    operator: Operator
    value: float | str

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise _refuse("the operator", f"one of {' '.join(OPERATORS)}", self.operator)
        if isinstance(self.value, str) and (not self.value.strip() or "'" in self.value):
            raise _refuse("a string", "a string that is not empty, without '", self.value)


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
        raise _refuse("and, or", "at least two conditions", parts)


Condition: TypeAlias = About | Comparison | And | Or


@dataclass(frozen=True)
class Part:
    """A path, and the condition on the elements that it leads to."""

    path: Path
    condition: Condition | None = None


@dataclass(frozen=True)
class Query:
    """A query with structure; its target is the end of its last path."""

    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        conditions = [part.condition for part in self.parts]
        if not conditions or conditions[0] is None or None in conditions[:-1]:
            raise _refuse("the paths", "a condition after each path except the last", self.parts)
        if not all(part.path for part in self.parts):
            raise _refuse("a path", "at least one step", Path())

    @property
    def target(self) -> Path:
        """The whole path to the elements to be returned."""
        return Path(tuple(step for part in self.parts for step in part.path.steps))
