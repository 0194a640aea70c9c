"""Titles of 2002: target elements, content words and context elements, translated into a query.

A title of 2002 lists what to return (``te``), words (``cw``) and, after words, the elements that must be
about them (``ce``)::

    <te>article</te> <cw>retrieval models</cw> <ce>bdy/sec</ce> <cw>1999 2000</cw> <ce>hdr//yr</ce>

becomes ``//article[about(.//bdy/sec, retrieval models) and about(.//hdr//yr, 1999 2000)]``.  Such titles
are ambiguous (004, footnote 5).  They are read as follows.

* Words without a context element are about the target itself.
* A context element that equals the target is the target; one whose path begins with the target's path is
  inside the target; any other is inside the article.
* Several elements in one ``te`` or ``ce``, separated by commas, are alternatives.
* A title without a target asks for any element.
* Targets that differ in more than their last step are reduced to their last steps, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from doxel.errors import InputError, QueryError
from doxel.topics.nexi.query_parser import parse
from doxel.topics.nexi.query_tree import NAME_PATTERN, Keywords, to_text

__all__ = ["TITLE_PIECES", "TitlePiece", "TranslatedTitle", "translate_title"]

TITLE_PIECES = ("te", "cw", "ce")
TitlePiece = tuple[str, str]  # its tag, and its text as written

_ROOT = "article"  # the root of all documents of 2002
_STEP = re.compile(rf"(//?)({NAME_PATTERN}|\*)")
_BRACKETS = re.compile(r"[()\[\]]|(?<![^\s,])[+-]+(?![^\s,])")
_PHRASE_MARKS = re.compile(r'"')


@dataclass(frozen=True)
class _ElementPath:
    """The steps of a path, each with its axis: ``bdy/sec`` is //bdy and /sec."""

    steps: tuple[TitlePiece, ...]

    def __str__(self) -> str:
        return "".join(axis + name for axis, name in self.steps)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.steps)

    def drop(self, count: int) -> _ElementPath:
        return _ElementPath(self.steps[count:])


@dataclass(frozen=True)
class TranslatedTitle:
    """The query of a title, or its words if it names no elements; ``note`` is about a loss of precision."""

    query: str
    note: str | None = None


def translate_title(pieces: Sequence[TitlePiece]) -> TranslatedTitle:
    """Return the query of a title of 2002, given its pieces in the order of the file.

    Raises
    ------
    InputError
        If a context element does not follow words, or if a path cannot be read.

    Examples
    --------
    >>> translate_title(
    ...     [("te", "sec"), ("cw", 'trees, "random walk"'), ("ce", "abs"), ("cw", "+graph")]
    ... ).query
    '//article[about(.//abs, trees "random walk")]//sec[about(., +graph)]'
    >>> translate_title([("cw", "information retrieval, +XML")]).query
    'information retrieval, +XML'
    """
    targets = [path for tag, text in pieces if tag == "te" for path in _parse_paths(text)]
    conditions = _pair_words_with_contexts(pieces)
    if not targets and not any(contexts for _, contexts in conditions):
        return TranslatedTitle(" ".join(words for words, _ in conditions))
    target, note = _combine_targets(targets)
    on_article: list[str] = []
    on_target: list[str] = []
    for words, contexts in conditions:
        _place_condition(_clean_words(words), contexts, target, on_article, on_target)
    return TranslatedTitle(_build_query(target, on_article, on_target), note)


def _pair_words_with_contexts(pieces: Sequence[TitlePiece]) -> list[tuple[str, list[_ElementPath]]]:
    conditions: list[tuple[str, list[_ElementPath]]] = []
    for tag, text in pieces:
        if tag == "cw":
            conditions.append((text, []))
        elif tag == "ce":
            if not conditions:
                raise InputError("a title", wanted="words (cw) before a context element (ce)", found="none")
            conditions[-1][1].extend(_parse_paths(text))
    if not conditions:
        raise InputError("a title", wanted="content words (cw)", found="none")
    return conditions


def _parse_paths(text: str) -> list[_ElementPath]:
    """Return the alternatives of a ``te`` or ``ce``: paths separated by commas, bars or white space."""
    paths = []
    for piece in re.split(r"[\s,;|]+", text.strip()):
        path = piece if piece.startswith("/") else f"/{piece}"
        steps = _STEP.findall(path)
        if not steps or "".join(axis + name for axis, name in steps) != path:
            raise InputError("a title", wanted="paths of elements such as bdy/sec", found=repr(piece))
        paths.append(_ElementPath((("//", steps[0][1]), *steps[1:])))
    return paths


def _combine_targets(targets: list[_ElementPath]) -> tuple[_ElementPath, str | None]:
    """Return alternative targets as one path, and a note if that loses their ancestors."""
    if not targets:
        return _ElementPath((("//", "*"),)), None
    if len(targets) == 1:
        return targets[0], None
    last = tuple(dict.fromkeys(target.names[-1] for target in targets))
    name = last[0] if len(last) == 1 else "*" if "*" in last else f"({'|'.join(last)})"
    if len({(target.steps[:-1], target.steps[-1][0]) for target in targets}) == 1:
        return _ElementPath((*targets[0].steps[:-1], (targets[0].steps[-1][0], name))), None
    target_list = ", ".join(str(target).removeprefix("//") for target in targets)
    return _ElementPath((("//", name),)), f"the targets {target_list} are read as //{name}"


def _place_condition(
    words: str,
    contexts: list[_ElementPath],
    target: _ElementPath,
    on_article: list[str],
    on_target: list[str],
) -> None:
    """Add a condition to those on the target or, if one of its elements is not in it, on the article."""
    length = len(target.names)
    inside = [context.names[:length] == target.names for context in contexts]
    if target.names in {(_ROOT,), ("*",)}:
        paths = [
            context.drop(1) if context.names[0] == _ROOT and target.names == (_ROOT,) else context
            for context in contexts
        ]
    elif all(inside):
        paths = [context.drop(length) for context in contexts]
    else:
        paths = [context.drop(1) if context.names[0] == _ROOT else context for context in contexts]
        on_article.append(_join_alternatives(paths, words))
        return
    on_target.append(_join_alternatives(paths, words))


def _join_alternatives(paths: list[_ElementPath], words: str) -> str:
    abouts = [f"about(.{path}, {words})" for path in paths] or [f"about(., {words})"]
    return abouts[0] if len(abouts) == 1 else f"({' or '.join(abouts)})"


def _build_query(target: _ElementPath, on_article: list[str], on_target: list[str]) -> str:
    """Return the query in canonical form."""
    condition = f"[{' and '.join(on_target)}]" if on_target else ""
    if not on_article:
        return to_text(parse(f"{target}{condition}"))
    below = target.drop(1) if target.names[0] == _ROOT else target
    return to_text(parse(f"//{_ROOT}[{' and '.join(on_article)}]{below}{condition}"))


def _clean_words(words: str) -> str:
    """Return the words of an ``about`` without commas, brackets and single signs."""
    without_brackets = " ".join(_BRACKETS.sub(" ", words).split())
    for candidate in (without_brackets, _PHRASE_MARKS.sub(" ", without_brackets)):
        try:
            query = parse(candidate)
        except QueryError:
            continue
        if isinstance(query, Keywords):
            return to_text(query)
    raise InputError("a title", wanted="content words (cw)", found=repr(words))
