"""Split a query into tokens with their positions.

The meaning of a character depends on its context: ``-`` is part of a name, part of a word, or a sign.  So
the parser requests what it expects next: a token of structure, or the terms of an ``about``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from doxel.errors import QueryError
from doxel.topics.nexi.tree import NAME, WORD, Term

__all__ = ["NUMBER", "Scanner", "Token"]

NUMBER = r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER})|(?P<name>{NAME})|(?P<string>'[^']*')|(?P<sign>//|/|<=|>=|[<>=*@()|\[\],.])"
)
_SPACE = re.compile(r"\s*")
_WORD = re.compile(WORD)
_FOUND = 20  # characters of the query that an error quotes


@dataclass(frozen=True)
class Token:
    """A piece of a query: its kind (number, name, string, sign, end), its text and its position."""

    kind: str
    text: str
    position: int


class Scanner:
    """Reads a query from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._at = 0
        self._next: Token | None = None

    def peek(self) -> Token:
        """Return the next token of structure without taking it."""
        if self._next is None:
            position = self._skip(self._at)
            match = _TOKEN.match(self.text, position)
            if match is not None:
                self._next = Token(str(match.lastgroup), match[0], position)
            elif position == len(self.text):
                self._next = Token("end", "", position)
            else:
                raise self.error(position, "a path or a condition")
        return self._next

    def take(self) -> Token:
        """Take the next token of structure."""
        token = self.peek()
        self._at, self._next = token.position + len(token.text), None
        return token

    def _skip(self, position: int) -> int:
        spaces = _SPACE.match(self.text, position)
        return position if spaces is None else spaces.end()

    def error(self, position: int, wanted: str, found: str | None = None) -> QueryError:
        """Return an error at a position; by default it quotes the query there as found."""
        rest = self.text[position : position + _FOUND]
        quoted = repr(rest.split(maxsplit=1)[0]) if rest.strip() else "the end of the query"
        return QueryError("a query", query=self.text, position=position, wanted=wanted, found=found or quoted)

    def argument(self) -> tuple[tuple[Term, ...], bool]:
        """Take the terms of an ``about``, up to but not including its closing bracket.

        Also return whether they are in single quotes, as in the dialect of 2003.
        """
        begin = self._skip(self._at)
        end = self._closing(begin)
        stop = begin + len(self.text[begin:end].rstrip())
        is_quoted = stop - begin >= 2 and self.text[begin] == self.text[stop - 1] == "'"
        terms = self.terms(begin + is_quoted, stop - is_quoted)
        self._at, self._next = end, None
        return terms, is_quoted

    def _closing(self, begin: int) -> int:
        """Return the position of the bracket that ends an argument, ignoring brackets in phrases."""
        quote = -1
        for match in re.compile(r'["()\[\],]').finditer(self.text, begin):
            if match[0] == '"':
                quote = match.start() if quote < 0 else -1
            elif quote < 0 and match[0] == ")":
                return match.start()
            elif quote < 0:
                raise self.error(match.start(), "words, phrases, or ) after the last")
        if quote >= 0:
            raise self.error(quote, 'a second " where the phrase ends', "none")
        raise self.error(len(self.text), ") after the terms of about")

    def terms(self, begin: int, end: int) -> tuple[Term, ...]:
        """Return the terms between two positions."""
        terms: list[Term] = []
        position = self._skip(begin)
        while position < end:
            term, position = self._term(position, end)
            terms.append(term)
            position = self._skip(position)
        if not terms:
            raise self.error(begin, "a word or a phrase")
        return tuple(terms)

    def _term(self, begin: int, end: int) -> tuple[Term, int]:
        sign = self.text[begin] if self.text[begin] in "+-" else ""
        position = begin + len(sign)
        signed = cast("Literal['', '+', '-']", sign)
        if position < end and self.text[position] == '"':
            words, after = self._phrase(position, end)
            return Term(words, signed, is_phrase=True), after
        word = _WORD.match(self.text, position, end)
        if word is None:
            if sign:
                raise self.error(begin, f"a word or a phrase directly after the {sign}", "none")
            raise self.error(position, f"words and phrases, without {_FORBIDDEN}")
        return Term((word[0],), signed), word.end()

    def _phrase(self, begin: int, end: int) -> tuple[tuple[str, ...], int]:
        stop = self.text.find('"', begin + 1, end)
        if stop < 0:
            raise self.error(begin, 'a second " where the phrase ends', "none")
        words = tuple(self.text[begin + 1 : stop].split())
        if not words:
            raise self.error(begin, "words between the quotes", "none")
        wrong = re.compile(r"[()\[\],]").search(self.text, begin, stop)
        if wrong is not None:
            raise self.error(wrong.start(), f"words of a phrase, without {_FORBIDDEN}")
        return words, stop + 1


_FORBIDDEN = "( ) [ ] and commas"
