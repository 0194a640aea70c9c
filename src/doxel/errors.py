"""Every error doxel raises on purpose.

::

    DoxelError
    ├── InputError          a file or value is invalid: file, line, wanted, found
    │   ├── MarkupError     a document cannot be parsed as XML or HTML
    │   ├── QueryError      a query cannot be parsed; points at the character
    │   └── UnscoredRunError  no score of a run would be right
    ├── CollectionError     a collection cannot be opened or does not fit the request
    ├── MeasureError        a measure name or parameter does not exist or is out of range
    ├── RequirementError    a run lacks something that a measure requires
    ├── MissingExtraError   an optional dependency is not installed
    ├── RefusedError        the assessment site answers a request with an error
    └── BusyError           the assessment site has too many writes waiting

The command line prints each as one sentence on stderr and exits with status 2, or 1 if a run is not scored.
All of them can be pickled, because worker processes raise them too.

``DoxelWarning`` is the category of Python's warnings about scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from doxel.wording import escape_unprintable, shorten_message

__all__ = [
    "BusyError",
    "CollectionError",
    "DoxelError",
    "DoxelWarning",
    "InputError",
    "MarkupError",
    "MeasureError",
    "MissingExtraError",
    "QueryError",
    "RefusedError",
    "RequirementError",
    "UnscoredRunError",
]


_AROUND = 36  # characters of a query shown on either side of an error
_LONGEST = 300  # longest ``found`` text that a message quotes in full


class DoxelError(Exception):
    """Base class of all errors that doxel raises on purpose."""

    def __str__(self) -> str:
        return shorten_message(escape_unprintable(super().__str__()))


class InputError(DoxelError):
    """A file or value is invalid.

    >>> print(InputError("a result line", file="a.run", line=3, wanted="8 columns", found="7"))
    a.run, line 3: a result line: wanted 8 columns, found 7
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        line: int | None = None,
        wanted: str | None = None,
        found: str | None = None,
    ) -> None:
        self.problem, self.file, self.line = problem, file, line
        self.wanted, self.found = wanted, found
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        line = None if self.line is None else f"line {self.line}"
        place = ", ".join(part for part in (self.file, line) if part)
        details = [f"wanted {self.wanted}"] if self.wanted else []
        details += [f"found {_shorten(self.found)}"] if self.found else []
        return ": ".join(part for part in (place, self.problem, ", ".join(details)) if part)

    def __reduce__(self) -> tuple[Any, ...]:
        state = {"file": self.file, "line": self.line, "wanted": self.wanted, "found": self.found}
        return _rebuild, (type(self), self.problem, state)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _rebuild(kind: type[InputError], problem: str, state: dict[str, Any]) -> InputError:
    return kind(problem, **state)


class UnscoredRunError(InputError):
    """No score of a run would be right, so it is not scored; ``code`` is the code of the check."""

    def __init__(self, problem: str, *, run: str = "", code: str = "", **details: Any) -> None:
        self.run, self.code = run, code
        super().__init__(problem, **details)

    def __reduce__(self) -> tuple[Any, ...]:
        _, (kind, problem, state) = super().__reduce__()
        return _rebuild, (kind, problem, {**state, "run": self.run, "code": self.code})


class MarkupError(InputError):
    """A document cannot be parsed as XML or HTML."""


class QueryError(InputError):
    """A query cannot be parsed; ``position`` is the offset of the error, counted from 0.

    >>> print(QueryError("a query", query="//sec[", position=6, wanted="a condition", found="the end"))
    a query, character 7: wanted a condition, found the end
        //sec[
              ^
    """

    def __init__(
        self,
        problem: str,
        *,
        query: str = "",
        position: int = 0,
        file: str | None = None,
        line: int | None = None,
        wanted: str | None = None,
        found: str | None = None,
    ) -> None:
        self.query, self.position = query, position
        super().__init__(problem, file=file, line=line, wanted=wanted, found=found)

    @property
    def sentence(self) -> str:
        """The message without the query."""
        problem = InputError(f"{self.problem}, character {self.position + 1:,}", wanted=self.wanted)
        place = InputError("", file=self.file, line=self.line)
        ending = f", found {_shorten(self.found)}" if self.found else ""
        return f"{place}: {problem}{ending}" if str(place) else f"{problem}{ending}"

    @property
    def pointer(self) -> str:
        """The query around the error, with a caret below the wrong character."""
        begin = max(0, self.position - _AROUND)
        end = min(len(self.query), self.position + _AROUND)
        before, after = "..." if begin else "", "..." if end < len(self.query) else ""
        excerpt = "".join(char if char.isprintable() else " " for char in self.query[begin:end])
        return f"{before}{excerpt}{after}\n{' ' * (len(before) + self.position - begin)}^"

    def _sentence(self) -> str:
        return "\n    ".join([self.sentence, *self.pointer.split("\n")])

    def at(self, file: str | None, line: int | None, problem: str | None = None) -> QueryError:
        """Return the same error with the query's file and line, and optionally another problem text."""
        return QueryError(
            problem or self.problem,
            query=self.query,
            position=self.position,
            file=file,
            line=line,
            wanted=self.wanted,
            found=self.found,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        _, (kind, problem, state) = super().__reduce__()
        return _rebuild, (kind, problem, {**state, "query": self.query, "position": self.position})


class DoxelWarning(UserWarning):
    """A score rests on a guess, or a run was not scored: code, run, topics and effect give the details."""

    def __init__(
        self,
        sentence: str,
        *,
        code: str = "",
        effect: str = "",
        run: str | None = None,
        topics: int | None = None,
    ) -> None:
        super().__init__(sentence)
        self.code, self.effect, self.run, self.topics = code, effect, run, topics


class CollectionError(DoxelError):
    """A collection cannot be opened or does not fit the request."""


class MeasureError(DoxelError):
    """A measure name or parameter does not exist or is out of range."""


class RequirementError(DoxelError):
    """A run lacks something that a measure requires."""


class MissingExtraError(DoxelError):
    """An optional dependency is not installed.

    >>> print(MissingExtraError("reading .zst files", "zst"))
    reading .zst files needs an optional dependency: pip install "doxel[zst]"
    """

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra
        super().__init__(f'{what} needs an optional dependency: pip install "doxel[{extra}]"')

    def __reduce__(self) -> tuple[Any, ...]:
        return MissingExtraError, (self.what, self.extra)


class RefusedError(DoxelError):
    """A request is answered with an error: HTTP status, a code for programs, a message for people."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.details, self.headers = details, dict(headers or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return RefusedError, (self.status, self.code, self.message, self.details, self.headers)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON body that every error of the web interface has."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        return {"error": error if self.details is None else {**error, "details": dict(self.details)}}


class BusyError(DoxelError):
    """Too many writes are waiting; the client should try again shortly."""
