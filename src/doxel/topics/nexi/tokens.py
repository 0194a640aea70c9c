"""Cuts a query into tokens, each with its place.

What a character means depends on where it stands: ``-`` is part of a name, of a word, or a sign.  So
the parser says which kind of token it wants next: a token of structure, or the terms of an ``about``.
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
_FOUND = 20  # characters of what was found that an error quotes


@dataclass(frozen=True)
class Token:
    """A piece of a query: its kind (number, name, string, sign, end), its text and where it begins."""

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
            found = _TOKEN.match(self.text, position)
            if found is not None:
                self._next = Token(str(found.lastgroup), found[0], position)
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
        found = _SPACE.match(self.text, position)
        return position if found is None else found.end()

    def error(self, position: int, wanted: str, found: str | None = None) -> QueryError:
        """Return the error that something else was wanted at a place."""
        rest = self.text[position : position + _FOUND]
        shown = repr(rest.split(maxsplit=1)[0]) if rest.strip() else "the end of the query"
        return QueryError("a query", query=self.text, position=position, wanted=wanted, found=found or shown)

    def argument(self) -> tuple[tuple[Term, ...], bool]:
        """Take the terms of an ``about``, up to its closing bracket, which stays.

        Also tell whether they stood in single quotes, as the dialect of 2003 writes them.
        """
        begin = self._skip(self._at)
        end = self._closing(begin)
        stop = begin + len(self.text[begin:end].rstrip())
        is_quoted = stop - begin >= 2 and self.text[begin] == self.text[stop - 1] == "'"
        terms = self.terms(begin + is_quoted, stop - is_quoted)
        self._at, self._next = end, None
        return terms, is_quoted

    def _closing(self, begin: int) -> int:
        """Return where the bracket stands that ends an argument; one in a phrase ends nothing."""
        quote = -1
        for found in re.compile(r'["()\[\],]').finditer(self.text, begin):
            if found[0] == '"':
                quote = found.start() if quote < 0 else -1
            elif quote < 0 and found[0] == ")":
                return found.start()
            elif quote < 0:
                raise self.error(found.start(), "words, phrases, or ) after the last")
        if quote >= 0:
            raise self.error(quote, 'a second " where the phrase ends', "none")
        raise self.error(len(self.text), ") after the terms of about")

    def terms(self, begin: int, end: int) -> tuple[Term, ...]:
        """Return the terms between two places."""
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
        found = _WORD.match(self.text, position, end)
        if found is None:
            if sign:
                raise self.error(begin, f"a word or a phrase directly after the {sign}", "none")
            raise self.error(position, f"words and phrases, without {_FORBIDDEN}")
        return Term((found[0],), signed), found.end()

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
