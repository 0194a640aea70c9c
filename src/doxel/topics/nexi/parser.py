"""Parse queries: NEXI, its older dialect of 2003, and titles without structure.

::

    query      := keywords | structured
    structured := (path filter)+ path?
    path       := (("//" | "/") step)+             "/" only in the dialect of 2003
    step       := NAME | "*" | "(" NAME ("|" NAME)* ")" | "@" NAME
    filter     := "[" either "]"
    either     := both ("or" both)*                "and" binds tighter than "or"
    both       := atom ("and" atom)*
    atom       := "about" "(" relative "," terms ")" | relative operator value | "(" either ")"
    relative   := "." path?
    operator   := "<" | "<=" | "=" | ">" | ">="
    value      := NUMBER | STRING                  a string in single quotes only in the dialect of 2003
    terms      := (("+" | "-")? (WORD | '"' WORD+ '"'))+

A query that begins with a slash has structure.  The parser has one method per rule; conditions in brackets
may be nested up to ``DEEPEST``.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import cast

from doxel.errors import QueryError
from doxel.topics.nexi.tokens import NUMBER, Scanner, Token
from doxel.topics.nexi.tree import (
    OPERATORS,
    About,
    And,
    Comparison,
    Condition,
    Keywords,
    Operator,
    Or,
    Part,
    Path,
    Query,
    Step,
)

__all__ = ["DEEPEST", "Parsed", "parse", "read"]

DEEPEST = 50  # the deepest allowed nesting of brackets
_NUMBER = re.compile(NUMBER)


@dataclass(frozen=True)
class Parsed:
    """A query, and remarks on how it is written."""

    query: Query | Keywords
    remarks: tuple[str, ...]


def parse(text: str) -> Query | Keywords:
    """Parse a query.

    Raises
    ------
    QueryError
        If the text is not a query; the error points at the character and names what was expected there.

    Examples
    --------
    >>> parse("//article//sec[about(., trees)]").target.steps[1].names
    ('sec',)
    >>> len(parse('+graph "random walk" -tree').terms)
    3
    """
    return read(text).query


def read(text: str) -> Parsed:
    """Parse a query, and collect remarks on how it is written."""
    parser = _Parser(Scanner(text))
    if not text.strip():
        raise QueryError("an empty query", query=text, wanted="words, or a path such as //sec", found="none")
    if text.lstrip().startswith("/"):
        query: Query | Keywords = parser.structured()
    else:
        query = parser.keywords()
    return Parsed(query, tuple(dict.fromkeys(parser.remarks)))


@dataclass
class _Parser:
    scanner: Scanner
    remarks: list[str] = field(default_factory=list)
    depth: int = 0

    def keywords(self) -> Keywords:
        text = self.scanner.text
        stray = re.search(r"[()\[\],]", text)
        if stray is not None:
            hint = "words and phrases without ( ) [ ] and commas; a query with structure begins with //"
            raise self.scanner.error(stray.start(), hint)
        return Keywords(self.scanner.terms(0, len(text)))

    def structured(self) -> Query:
        parts: list[Part] = []
        while True:
            path = self.path("a path such as //sec")
            if self._sees("["):
                parts.append(Part(path, self.filter()))
            elif parts and self.scanner.peek().kind == "end":
                parts.append(Part(path))
            else:
                wanted = "a step such as //p, or a condition such as [about(., words)]"
                raise self._unexpected(wanted)
            if self.scanner.peek().kind == "end":
                return Query(tuple(parts))
            if not self._sees("//", "/"):
                raise self._unexpected("a path such as //p, or the end of the query")

    def path(self, wanted: str) -> Path:
        if not self._sees("//", "/"):
            raise self._unexpected(wanted)
        steps: list[Step] = []
        while self._sees("//", "/"):
            is_child = self.scanner.take().text == "/"
            if is_child:
                self.remarks.append("child steps (/) belong to the dialect of 2003: NEXI has only //")
            steps.append(self.step(is_child=is_child))
        return Path(tuple(steps))

    def step(self, *, is_child: bool) -> Step:
        if self._sees("*"):
            self.scanner.take()
            return Step((), is_child)
        if self._sees("@"):
            self.scanner.take()
            return Step((self._name("the name of an attribute"),), is_child, is_attribute=True)
        if not self._sees("("):
            return Step((self._name("the name of an element, *, ( or @"),), is_child)
        self.scanner.take()
        names = [self._name("the name of an element")]
        while self._sees("|"):
            self.scanner.take()
            names.append(self._name("the name of an element"))
        self._expect(")", "| or ) after the name of an element")
        return Step(tuple(names), is_child)

    def filter(self) -> Condition:
        self._expect("[", "a condition in square brackets")
        condition = self.either()
        self._expect("]", "and, or, or ] after a condition")
        return condition

    def either(self) -> Condition:
        parts, joined = zip(*self._separated_by_or(), strict=True)
        if len(parts) == 1:
            only: Condition = parts[0]
            return only
        if any(joined):
            self.remarks.append(
                "and binds tighter than or; some old parsers read from left to right: use brackets"
            )
        return Or(tuple(parts))

    def _separated_by_or(self) -> list[tuple[Condition, bool]]:
        parts = [self.both()]
        while self._sees_word("or"):
            self.scanner.take()
            parts.append(self.both())
        return parts

    def both(self) -> tuple[Condition, bool]:
        """Return a condition, and whether it has an ``and`` outside all brackets."""
        parts = [self.atom()]
        while self._sees_word("and"):
            self.scanner.take()
            parts.append(self.atom())
        return (parts[0], False) if len(parts) == 1 else (And(tuple(parts)), True)

    def atom(self) -> Condition:
        token = self.scanner.peek()
        if token.text == "(":
            return self.in_brackets(token)
        if token.text == ".":
            return self.comparison()
        if token.kind == "name" and token.text.lower() == "about":
            return self.about()
        raise self._unexpected("about(...), a comparison such as .//year > 2000, or (")

    def in_brackets(self, opening: Token) -> Condition:
        if self.depth == DEEPEST:
            raise self.scanner.error(opening.position, f"at most {DEEPEST} brackets within brackets", "more")
        self.depth += 1
        self.scanner.take()
        condition = self.either()
        self._expect(")", "and, or, or ) after a condition")
        self.depth -= 1
        return condition

    def about(self) -> About:
        self.scanner.take()
        self._expect("(", "( after about")
        path = self.relative()
        self._expect(",", "a step such as //p, or a comma and the terms")
        terms, is_quoted = self.scanner.argument()
        if is_quoted:
            self.remarks.append(
                "terms in single quotes belong to the dialect of 2003: NEXI has no quotes here"
            )
        self._expect(")", ") after the terms of about")
        return About(path, terms)

    def relative(self) -> Path:
        self._expect(".", ". for the element itself, or a path from it such as .//p")
        return self.path("a step") if self._sees("//", "/") else Path()

    def comparison(self) -> Comparison:
        path = self.relative()
        if self.scanner.peek().text not in OPERATORS:
            raise self._unexpected("a step such as //p, or one of < <= = > >=")
        operator = cast("Operator", self.scanner.take().text)
        if self.scanner.peek().kind not in {"number", "string"}:
            raise self._unexpected("a number")
        value = self.scanner.take()
        if value.kind == "number":
            return Comparison(path, operator, _number(value.text))
        self.remarks.append(
            "values in single quotes belong to the dialect of 2003: NEXI compares with numbers only"
        )
        content = value.text[1:-1].strip()
        if not content:
            raise self.scanner.error(value.position, "a number or a text between the quotes", "none")
        return Comparison(path, operator, _number(content) if _NUMBER.fullmatch(content) else content)

    def _sees(self, *texts: str) -> bool:
        token = self.scanner.peek()
        return token.kind == "sign" and token.text in texts

    def _sees_word(self, word: str) -> bool:
        token = self.scanner.peek()
        return token.kind == "name" and token.text.lower() == word

    def _name(self, wanted: str) -> str:
        if self.scanner.peek().kind != "name":
            raise self._unexpected(wanted)
        return self.scanner.take().text

    def _expect(self, text: str, wanted: str) -> None:
        if not self._sees(text):
            raise self._unexpected(wanted)
        self.scanner.take()

    def _unexpected(self, wanted: str) -> QueryError:
        return self.scanner.error(self.scanner.peek().position, wanted)


def _number(text: str) -> float:
    """Return a number, limited to the range of floating-point numbers."""
    return max(-sys.float_info.max, min(float(text), sys.float_info.max))
