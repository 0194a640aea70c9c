"""A small BibTeX reader for tests: entries with their fields; what BibTeX would not read is refused."""

from __future__ import annotations

import re

__all__ = ["BibtexError", "read_bibtex"]

# The fields that the standard styles require.
REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "incollection": {"author", "title", "booktitle", "publisher", "year"},
    "techreport": {"author", "title", "institution", "year"},
    "misc": {"author", "title"},
}


class BibtexError(ValueError):
    """An error that BibTeX would report."""


def read_bibtex(text: str) -> dict[str, dict[str, str]]:
    """Return the fields of each entry by key, its type among them as ``type``."""
    if not text.isascii():
        raise BibtexError("letters that are not ASCII")
    entries: dict[str, dict[str, str]] = {}
    place = text.find("@")
    while place >= 0:
        head = re.compile(r"@(\w+)\{(\w+),\n").match(text, place)
        if head is None or head[1] not in REQUIRED or head[2] in entries:
            raise BibtexError(f"an entry with a known type and its own key: {text[place : place + 50]!r}")
        end = find_closing(text, text.index("{", place))
        entries[head[2]] = {"type": head[1], **read_fields(text[head.end() : end])}
        if missing := REQUIRED[head[1]] - set(entries[head[2]]):
            raise BibtexError(f"{head[2]} has no {missing}")
        place = text.find("@", end)  # outside entries everything else is a comment
    return entries


def find_closing(text: str, place: int) -> int:
    """Return the place of the brace that closes the one at ``place``."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, place):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    raise BibtexError(f"a brace that is not closed: {text[place : place + 50]!r}")


def read_fields(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    place = 0
    pattern = re.compile(r"\s*(\w+) = (?=\{)")
    while (match := pattern.match(text, place)) is not None:
        end = find_closing(text, match.end())
        value = text[match.end() + 1 : end]
        if match[1] in fields or re.search(r"(?<!\\)[%#&$_]", value):
            raise BibtexError(f"{match[1]} twice, or with a character that LaTeX does not print: {value!r}")
        fields[match[1]] = value
        place = end + 2
    if text[place:].strip():
        raise BibtexError(f"no field: {text[place:]!r}")
    return fields
