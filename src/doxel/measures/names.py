"""Parsing of measure names: a name and a measure convert into each other.

::

    list     := measure (',' measure)*
    measure  := NAME ['(' [NAME '=' value (',' NAME '=' value)*] ')'] ['@' number (',' number)*]
    value    := number | "text" | word

After ``@`` a comma before a number adds a cutoff; any other comma starts the next measure.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from doxel.errors import MeasureError
from doxel.measures.declare import Measure
from doxel.wording import quote_value

__all__ = ["parse_measures", "shown_names"]

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
      | (?P<name>[^\W\d][\w.\-]*)
      | (?P<text>"[^"]*"|'[^']*')
      | (?P<mark>[(),=@])
    )""",
    re.VERBOSE,
)


_MANY_CUTOFFS = 10  # more cutoffs of a measure are abbreviated


def parse_measures(text: str, known: Mapping[str, Measure]) -> list[Measure]:
    """Return the measures named in a string; ``known`` maps names and aliases to measures."""
    return _Parser(text, known).measures()


class _Parser:
    def __init__(self, text: str, known: Mapping[str, Measure]) -> None:
        self._text, self._known = text, known
        self._tokens = list(self._split())
        self._next = 0

    def _split(self) -> list[tuple[str, str, int]]:
        tokens: list[tuple[str, str, int]] = []
        place = 0
        end = len(self._text.rstrip())
        while place < end:
            match = _TOKEN.match(self._text, place)
            if match is None or match.lastgroup is None:
                raise self._error("a measure such as nxCG(alpha=1)@10", place)
            tokens.append((match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            place = match.end()
        return tokens

    def _error(self, wanted: str, place: int | None = None) -> MeasureError:
        at = place if place is not None else self._place()
        rest = repr(self._text[at : at + 20]) if at < len(self._text) else "the end"
        return MeasureError(
            f"{quote_value(self._text, 100)}, character {at + 1}: wanted {wanted}, found {rest}"
        )

    def _place(self) -> int:
        return self._tokens[self._next][2] if self._next < len(self._tokens) else len(self._text)

    def _kind(self, ahead: int = 0) -> str | None:
        at = self._next + ahead
        return self._tokens[at][0] if at < len(self._tokens) else None

    def _sees(self, mark: str) -> bool:
        return self._kind() == "mark" and self._tokens[self._next][1] == mark

    def _take(self, kind: str) -> str | None:
        if self._kind() != kind:
            return None
        self._next += 1
        return self._tokens[self._next - 1][1]

    def _skip(self, mark: str) -> bool:
        if self._sees(mark):
            self._next += 1
            return True
        return False

    def measures(self) -> list[Measure]:
        measures: list[Measure] = []
        while True:
            measures.extend(self._measure())
            if self._next == len(self._tokens):
                return measures
            if not self._skip(","):
                raise self._error("',' or the end")

    def _measure(self) -> list[Measure]:
        place = self._place()
        name = self._take("name")
        if name is None:
            raise self._error("the name of a measure")
        if name not in self._known:
            raise MeasureError(_unknown(name, self._known, self._text, place))
        measure = self._known[name](**self._arguments())
        if not self._skip("@"):
            return [measure.check()]
        return [(measure @ cutoff).check() for cutoff in self._cutoffs()]

    def _arguments(self) -> dict[str, Any]:
        written: dict[str, Any] = {}
        if not self._skip("("):
            return written
        while not self._skip(")"):
            name = self._take("name")
            if name is None or not self._skip("="):
                raise self._error("a parameter such as alpha=1")
            if name in written:
                raise self._error(f"{name} only once")
            written[name] = self._value()
            if not self._skip(",") and not self._sees(")"):
                raise self._error("',' or ')'")
        return written

    def _value(self) -> Any:
        if (number := self._take("number")) is not None:
            return float(number)
        if (text := self._take("text")) is not None:
            return text[1:-1]
        if (word := self._take("name")) is not None:
            return {"True": True, "False": False, "None": None}.get(word, word)
        raise self._error("a value")

    def _cutoffs(self) -> list[float]:
        first = self._take("number")
        if first is None:
            raise self._error("a number after @")
        cutoffs = [float(first)]
        while self._sees(",") and self._kind(ahead=1) == "number":
            self._next += 1
            cutoffs.append(float(self._take("number") or 0))
        return cutoffs


def _unknown(name: str, known: Mapping[str, Measure], text: str, place: int) -> str:
    matches = [candidate for candidate in known if candidate.lower() == name.lower()]
    matches = matches or difflib.get_close_matches(name, known, 3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(matches)}?" if matches else "; 'doxel measures' lists all measures"
    where = f" (in {quote_value(text, 100)}, character {place + 1})" if text != name else ""
    return f"there is no measure {quote_value(name)}{where}{hint}"


def shown_names(names: Sequence[str]) -> str:
    """Join names of measures for display; of the many cutoffs of a curve, only the first and last.

    >>> (
    ...     shown_names(["MAep", "iP@0", "iP@0.1"]),
    ...     shown_names([f"ep@{k / 100}" for k in range(1, 101)] + ["MAep"]),
    ... )
    ('MAep, iP@0, iP@0.1', 'ep@0.01 ... 1.0 (100 cutoffs), MAep')
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.rpartition("@")[0] or name, []).append(name)
    parts: list[str] = []
    for members in groups.values():
        if len(members) <= _MANY_CUTOFFS:
            parts += members
        else:
            last = members[-1].rpartition("@")[2]
            parts.append(f"{members[0]} ... {last} ({len(members)} cutoffs)")
    return ", ".join(parts)
