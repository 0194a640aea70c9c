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

A query that begins with a slash has structure.  Commas separate the terms of a title without structure and
of an ``about`` in single quotes, as topics of 2002 and 2003 have them; elsewhere they are errors.  The
parser has one method per rule; conditions in brackets may be nested up to ``MAX_BRACKETS``.

The meaning of a character depends on its context: ``-`` is part of a name, part of a word, or a sign.  The
parser therefore asks the scanner either for a token of structure or for the terms of an ``about``.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import Literal, cast

from doxel.errors import QueryError
from doxel.topics.nexi.query_tree import (
    NAME_PATTERN,
    OPERATORS,
    WORD_PATTERN,
    About,
    And,
    Condition,
    Keywords,
    Operator,
    Or,
    PathStep,
    Query,
    QueryPart,
    QueryPath,
    Term,
    ValueComparison,
)

__all__ = ["MAX_BRACKETS", "NUMBER_PATTERN", "Parsed", "parse", "read"]

NUMBER_PATTERN = r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER_PATTERN})|(?P<name>{NAME_PATTERN})|(?P<string>'[^']*')|(?P<sign>//|/|<=|>=|[<>=*@()|\[\],.])"
)
_SPACE = re.compile(r"\s*")
_SPACE_OR_COMMAS = re.compile(r"[\s,]*")
_COMMAS = "commas separate terms as white space does: NEXI has no commas between terms"
_WORD = re.compile(WORD_PATTERN)
_QUOTED_CHARACTERS = 20  # characters of the query that an error quotes


@dataclass(frozen=True)
class _Token:
    """A piece of a query: its kind (number, name, string, sign, end), its text and its position."""

    kind: str
    text: str
    position: int


class _Scanner:
    """Reads a query from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._at = 0
        self._next: _Token | None = None

    @property
    def position(self) -> int:
        """The position up to which the query has been read."""
        return self._at

    def peek(self) -> _Token:
        """Return the next token of structure without taking it."""
        if self._next is None:
            position = self._skip(self._at)
            match = _TOKEN.match(self.text, position)
            if match is not None:
                self._next = _Token(str(match.lastgroup), match[0], position)
            elif position == len(self.text):
                self._next = _Token("end", "", position)
            else:
                raise self.error(position, "a path or a condition")
        return self._next

    def take(self) -> _Token:
        """Take the next token of structure."""
        token = self.peek()
        self._at, self._next = token.position + len(token.text), None
        return token

    def _skip(self, position: int, *, with_commas: bool = False) -> int:
        spaces = (_SPACE_OR_COMMAS if with_commas else _SPACE).match(self.text, position)
        return position if spaces is None else spaces.end()

    def error(self, position: int, wanted: str, found: str | None = None) -> QueryError:
        """Return an error at a position; by default it quotes the query there as found."""
        excerpt = self.text[position : position + _QUOTED_CHARACTERS]
        quoted = repr(excerpt.split(maxsplit=1)[0]) if excerpt.strip() else "the end of the query"
        return QueryError("a query", query=self.text, position=position, wanted=wanted, found=found or quoted)

    def argument(self) -> tuple[tuple[Term, ...], bool]:
        """Take the terms of an ``about``, up to but not including its closing bracket.

        Also return whether they are in single quotes, as in the dialect of 2003.
        """
        begin = self._skip(self._at)
        end, comma = self._find_closing(begin)
        stop = begin + len(self.text[begin:end].rstrip())
        is_quoted = stop - begin >= 2 and self.text[begin] == self.text[stop - 1] == "'"
        if comma >= 0 and not is_quoted:
            raise self.error(comma, _WANTED_IN_ABOUT)
        terms = self.terms(begin + is_quoted, stop - is_quoted, with_commas=is_quoted)
        self._at, self._next = end, None
        return terms, is_quoted

    def _find_closing(self, begin: int) -> tuple[int, int]:
        """Return the positions of the bracket that ends an argument and of its first comma, or -1.

        Brackets and commas in phrases are ignored.
        """
        quote = comma = -1
        for match in re.compile(r'["()\[\],]').finditer(self.text, begin):
            if match[0] == '"':
                quote = match.start() if quote < 0 else -1
            elif quote < 0 and match[0] == ")":
                return match.start(), comma
            elif quote < 0 and match[0] == ",":
                comma = match.start() if comma < 0 else comma
            elif quote < 0:
                raise self.error(match.start(), _WANTED_IN_ABOUT)
        if quote >= 0:
            raise self.error(quote, 'a second " where the phrase ends', "none")
        raise self.error(len(self.text), ") after the terms of about")

    def terms(self, begin: int, end: int, *, with_commas: bool = False) -> tuple[Term, ...]:
        """Return the terms between two positions; ``with_commas``: commas may separate them."""
        terms: list[Term] = []
        position = self._skip(begin, with_commas=with_commas)
        while position < end:
            term, position = self._term(position, end, with_commas=with_commas)
            terms.append(term)
            position = self._skip(position, with_commas=with_commas)
        if not terms:
            raise self.error(begin, "a word or a phrase")
        return tuple(terms)

    def _term(self, begin: int, end: int, *, with_commas: bool) -> tuple[Term, int]:
        sign = self.text[begin] if self.text[begin] in "+-" else ""
        position = begin + len(sign)
        signed = cast("Literal['', '+', '-']", sign)
        if position < end and self.text[position] == '"':
            words, after = self._phrase(position, end, with_commas=with_commas)
            return Term(words, signed, is_phrase=True), after
        word = _WORD.match(self.text, position, end)
        if word is None:
            if sign:
                raise self.error(begin, f"a word or a phrase directly after the {sign}", "none")
            raise self.error(position, f"words and phrases, without {_FORBIDDEN}")
        return Term((word[0],), signed), word.end()

    def _phrase(self, begin: int, end: int, *, with_commas: bool) -> tuple[tuple[str, ...], int]:
        stop = self.text.find('"', begin + 1, end)
        if stop < 0:
            raise self.error(begin, 'a second " where the phrase ends', "none")
        content = self.text[begin + 1 : stop]
        words = tuple((content.replace(",", " ") if with_commas else content).split())
        if not words:
            raise self.error(begin, "words between the quotes", "none")
        forbidden = re.compile(r"[()\[\]]" if with_commas else r"[()\[\],]").search(self.text, begin, stop)
        if forbidden is not None:
            raise self.error(forbidden.start(), f"words of a phrase, without {_FORBIDDEN}")
        return words, stop + 1


_FORBIDDEN = "( ) [ ] and commas"
_WANTED_IN_ABOUT = "words, phrases, or ) after the last"


MAX_BRACKETS = 50  # the deepest allowed nesting of brackets
_NUMBER_REGEX = re.compile(NUMBER_PATTERN)


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
        If the text is not a query; the error points at the character, and names the expected input.

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
    parser = _QueryParser(_Scanner(text))
    if not text.strip():
        raise QueryError("an empty query", query=text, wanted="words, or a path such as //sec", found="none")
    if text.lstrip().startswith("/"):
        query: Query | Keywords = parser.structured()
    else:
        query = parser.keywords()
    return Parsed(query, tuple(dict.fromkeys(parser.remarks)))


@dataclass
class _QueryParser:
    scanner: _Scanner
    remarks: list[str] = field(default_factory=list)
    depth: int = 0

    def keywords(self) -> Keywords:
        text = self.scanner.text
        stray = re.search(r"[()\[\]]", text)
        if stray is not None:
            hint = "words and phrases without ( ) [ ]; a query with structure begins with //"
            raise self.scanner.error(stray.start(), hint)
        if "," in text:
            self.remarks.append(_COMMAS)
        first = _SPACE_OR_COMMAS.match(text)
        if first is not None and text.startswith("/", first.end()):
            raise self.scanner.error(first.end(), "a first word that does not begin with /")
        return Keywords(self.scanner.terms(0, len(text), with_commas=True))

    def structured(self) -> Query:
        parts: list[QueryPart] = []
        while True:
            path = self.path("a path such as //sec")
            if self._is_next("["):
                parts.append(QueryPart(path, self.filter()))
            elif parts and self.scanner.peek().kind == "end":
                parts.append(QueryPart(path))
            else:
                wanted = "a step such as //p, or a condition such as [about(., words)]"
                raise self._build_error(wanted)
            if self.scanner.peek().kind == "end":
                return Query(tuple(parts))
            if not self._is_next("//", "/"):
                raise self._build_error("a path such as //p, or the end of the query")

    def path(self, wanted: str) -> QueryPath:
        if not self._is_next("//", "/"):
            raise self._build_error(wanted)
        steps: list[PathStep] = []
        while self._is_next("//", "/"):
            is_child = self.scanner.take().text == "/"
            if is_child:
                self.remarks.append("child steps (/) belong to the dialect of 2003: NEXI has only //")
            steps.append(self.step(is_child=is_child))
        return QueryPath(tuple(steps))

    def step(self, *, is_child: bool) -> PathStep:
        if self._is_next("*"):
            self.scanner.take()
            return PathStep((), is_child)
        if self._is_next("@"):
            self.scanner.take()
            return PathStep((self._name("the name of an attribute"),), is_child, is_attribute=True)
        if not self._is_next("("):
            return PathStep((self._name("the name of an element, *, ( or @"),), is_child)
        self.scanner.take()
        names = [self._name("the name of an element")]
        while self._is_next("|"):
            self.scanner.take()
            names.append(self._name("the name of an element"))
        self._expect(")", "| or ) after the name of an element")
        return PathStep(tuple(names), is_child)

    def filter(self) -> Condition:
        self._expect("[", "a condition in square brackets")
        condition = self.either()
        self._expect("]", "and, or, or ] after a condition")
        return condition

    def either(self) -> Condition:
        parts, have_and = zip(*self._parse_alternatives(), strict=True)
        if len(parts) == 1:
            only: Condition = parts[0]
            return only
        if any(have_and):
            self.remarks.append(
                "and binds tighter than or; some old parsers read from left to right: use brackets"
            )
        return Or(tuple(parts))

    def _parse_alternatives(self) -> list[tuple[Condition, bool]]:
        parts = [self.both()]
        while self._is_next_word("or"):
            self.scanner.take()
            parts.append(self.both())
        return parts

    def both(self) -> tuple[Condition, bool]:
        """Return a condition, and whether it has an ``and`` outside all brackets."""
        parts = [self.atom()]
        while self._is_next_word("and"):
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
        raise self._build_error("about(...), a comparison such as .//year > 2000, or (")

    def in_brackets(self, opening: _Token) -> Condition:
        if self.depth == MAX_BRACKETS:
            raise self.scanner.error(
                opening.position, f"at most {MAX_BRACKETS} brackets within brackets", "more"
            )
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
        begin = self.scanner.position
        terms, is_quoted = self.scanner.argument()
        if "," in self.scanner.text[begin : self.scanner.position]:
            self.remarks.append(_COMMAS)
        if is_quoted:
            self.remarks.append(
                "terms in single quotes belong to the dialect of 2003: NEXI has no quotes here"
            )
        self._expect(")", ") after the terms of about")
        return About(path, terms)

    def relative(self) -> QueryPath:
        self._expect(".", ". for the element itself, or a path from it such as .//p")
        return self.path("a step") if self._is_next("//", "/") else QueryPath()

    def comparison(self) -> ValueComparison:
        path = self.relative()
        if self.scanner.peek().text not in OPERATORS:
            raise self._build_error("a step such as //p, or one of < <= = > >=")
        operator = cast("Operator", self.scanner.take().text)
        if self.scanner.peek().kind not in {"number", "string"}:
            raise self._build_error("a number")
        value = self.scanner.take()
        if value.kind == "number":
            return ValueComparison(path, operator, _parse_number(value.text))
        self.remarks.append(
            "values in single quotes belong to the dialect of 2003: NEXI compares with numbers only"
        )
        content = value.text[1:-1].strip()
        if not content:
            raise self.scanner.error(value.position, "a number or a text between the quotes", "none")
        return ValueComparison(
            path, operator, _parse_number(content) if _NUMBER_REGEX.fullmatch(content) else content
        )

    def _is_next(self, *texts: str) -> bool:
        token = self.scanner.peek()
        return token.kind == "sign" and token.text in texts

    def _is_next_word(self, word: str) -> bool:
        token = self.scanner.peek()
        return token.kind == "name" and token.text.lower() == word

    def _name(self, wanted: str) -> str:
        if self.scanner.peek().kind != "name":
            raise self._build_error(wanted)
        return self.scanner.take().text

    def _expect(self, text: str, wanted: str) -> None:
        if not self._is_next(text):
            raise self._build_error(wanted)
        self.scanner.take()

    def _build_error(self, wanted: str) -> QueryError:
        return self.scanner.error(self.scanner.peek().position, wanted)


def _parse_number(text: str) -> float:
    """Return a number, limited to the range of floating-point numbers."""
    return max(-sys.float_info.max, min(float(text), sys.float_info.max))
