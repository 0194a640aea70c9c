"""The identity of documents (key, name, hash), and references to them by id or path suffix.

A document's key is its path below the source folder, without extension.  Its id is its name, the last
step of the key, if names are unique in the collection, else the whole key.  The name of a line of JSON is
the id written in it. References name a document by its id, or by any unambiguous suffix of its path, or, if
one of the two has no file extension, without it: ``notes.pdf`` names ``notes``, but not ``notes.txt``.

References also name sections of articles: BioASQ's offsets count within the title or the abstract, and
``11/abstract`` is the abstract of document 11 (``/article[1]/abstract[1]``), if the collection has no
document of the whole name.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import PurePosixPath
from types import ModuleType

import numpy as np
import polars as pl

from doxel.files import strip_compression
from doxel.files.compression import COMPRESSED_SUFFIXES
from doxel.spans import Ints

__all__ = [
    "LINE_MARK",
    "NO_DOCUMENT",
    "RANDOM_ID",
    "DocumentReferences",
    "compute_digest",
    "convert_sections",
    "derive_document_key",
    "derive_document_keys",
    "derive_document_name",
    "derive_document_names",
]


LINE_MARK = ".jsonl#"
"""The separator of file name and id in the source of a document."""

NO_DOCUMENT = "(no document)"
"""The document of a text whose document is unknown: the text is searched for in all documents."""

RANDOM_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{32,64}")
"""Ids that libraries generate, and that no person would give to a document."""


def _join_alternatives(suffixes: Iterable[str]) -> str:
    return "|".join(map(re.escape, suffixes))


_PACKED = rf"(?is)^(.*[^/])(?:{_join_alternatives(COMPRESSED_SUFFIXES)})$"
_EXTENSION = r"(?s)([^/.])\.[A-Za-z][A-Za-z0-9]{0,7}$"  # not of version numbers
_UNUSUAL = rf"//|\./|/$|{re.escape(LINE_MARK)}"  # sources whose key is more than the name without its suffix

_SECTION = r"title|abstract|sections\.[0-9]{1,6}"
_SECTIONS = rf"^(.+)/({_SECTION})(?:\.\.({_SECTION}))?$"


@cache
def _load_kinds() -> ModuleType:
    """Return the kinds of sources, whose parsers are not needed without a collection."""
    from doxel.documents.parsing import sources

    return sources


@cache
def _match_suffixes() -> str:
    suffixes = (suffix for kind in _load_kinds().SOURCE_KINDS for suffix in kind.suffixes)
    return rf"(?is)^(.*[^/])(?:{_join_alternatives(suffixes)})$"


def derive_document_key(source: str) -> str:
    """Return the path of a source without its extension.

    >>> derive_document_key("tc/2001/t0111.xml.gz")
    'tc/2001/t0111'
    """
    if LINE_MARK in source:
        return source
    name = strip_compression(source)
    if _load_kinds().find_kind_by_name(source):
        name = name[: -len(_load_kinds().find_suffix(source))]
    # called for every document of a collection: a path object would cost more than everything else
    return str(PurePosixPath(name)) if "//" in name or "./" in name or name.endswith("/") else name


def derive_document_name(key: str) -> str:
    """Return the last step of a document's key.

    >>> derive_document_name("tc/2001/t0111"), derive_document_name("web/corpus.jsonl#http://a/b")
    ('t0111', 'http://a/b')
    """
    return key.partition(LINE_MARK)[2] if LINE_MARK in key else key.rpartition("/")[2]


def derive_document_keys(sources: pl.Series) -> pl.Series:
    """Return the ``derive_document_key`` of each source.

    >>> derive_document_keys(pl.Series(["tc/2001/t0111.xml.gz", "notes", "web/corpus.jsonl#a.xml"])).to_list()
    ['tc/2001/t0111', 'notes', 'web/corpus.jsonl#a.xml']
    """
    keys = sources.str.replace(_PACKED, "$1").str.replace(_match_suffixes(), "$1")
    unusual = sources.str.contains(_UNUSUAL)
    if unusual.any():
        rows = unusual.arg_true()
        keys = keys.scatter(rows, [derive_document_key(source) for source in sources.gather(rows)])
    return keys


def derive_document_names(keys: pl.Series) -> pl.Series:
    """Return the ``derive_document_name`` of each key."""
    is_line = keys.str.contains(LINE_MARK, literal=True)
    if not is_line.any():
        return keys.str.replace(r"(?s)^.*/", "")
    lines = keys.str.replace(rf"(?s)^.*?{re.escape(LINE_MARK)}", "")
    return lines.zip_with(is_line, keys.str.replace(r"(?s)^.*/", ""))


def compute_digest(data: bytes) -> str:
    """Return a hash of bytes, short enough to print."""
    return hashlib.sha256(data).hexdigest()[:32]


def _is_same_path(path: str, other: str) -> bool:
    """Return whether one of two paths, both with a leading slash, is the end of the other."""
    return path.endswith(other) or other.endswith(path)


class DocumentReferences:
    """Finds the documents of a collection by id or path suffix.

    ``tc/2001/t0111``, ``t0111.xml`` and ``2001/t0111`` all find the document with that source.
    """

    def __init__(self, documents: pl.DataFrame) -> None:
        self._documents = documents
        self._ids = documents.select("doc", number=pl.int_range(pl.len(), dtype=pl.Int64))

    def find(self, references: pl.Series) -> Ints:
        """Return the row of each document, -1 where a reference names none or several."""
        references = references.cast(pl.String)
        rows = references.to_frame("doc").join(self._ids, on="doc", how="left", maintain_order="left")
        numbers = rows["number"].fill_null(-1).to_numpy().copy()
        unmatched_rows = np.flatnonzero(numbers < 0)
        if len(unmatched_rows):
            unmatched = references.gather(unmatched_rows)
            by_suffix = self._by_suffix([reference for reference in unmatched.unique() if reference])
            numbers[unmatched_rows] = unmatched.replace_strict(
                by_suffix, default=-1, return_dtype=pl.Int64
            ).to_numpy()
        return numbers

    @cached_property
    def _names(self) -> pl.Series:
        return derive_document_names(derive_document_keys(self._documents["source"]))

    def _find_named(self, names: Iterable[str]) -> dict[str, list[tuple[int, str]]]:
        """Return the rows and paths of the documents with the given names, by name."""
        rows = self._names.is_in(list(names)).arg_true()
        groups: dict[str, list[tuple[int, str]]] = {}
        for number, source in zip(rows, self._documents["source"].gather(rows), strict=True):
            key = derive_document_key(source)
            groups.setdefault(derive_document_name(key), []).append((number, "/" + key))
        return groups

    def _by_suffix(self, references: Sequence[str]) -> dict[str, int]:
        """Return the row of the only document that each reference matches, -1 for none or several."""
        matches = self.list_matches(references)
        return {reference: rows[0] if len(rows) == 1 else -1 for reference, rows in matches.items()}

    def list_matches(self, references: Sequence[str]) -> dict[str, list[int]]:
        """Return the rows of all documents that each reference fits, by path suffix, else by file stem.

        >>> documents = pl.DataFrame({"doc": ["a/notes.txt", "b/notes.txt", "memo"]}).with_columns(
        ...     source="doc"
        ... )
        >>> DocumentReferences(documents).list_matches(["notes.txt", "/x/b/notes.txt", "memo.pdf"])
        {'notes.txt': [0, 1], '/x/b/notes.txt': [1], 'memo.pdf': [2]}
        """
        keys = {reference: derive_document_key(reference.strip("/")) for reference in references}
        by_name = self._find_named({*map(derive_document_name, keys.values()), *references})
        matches = {reference: self._find_fitting(reference, key, by_name) for reference, key in keys.items()}
        unmatched = [reference for reference in references if not matches[reference]]
        return {**matches, **self._by_stem(unmatched)} if unmatched else matches

    @cached_property
    def _stems(self) -> pl.Series:
        return self._names.str.replace(_EXTENSION, "$1")

    def _by_stem(self, references: Sequence[str]) -> dict[str, list[int]]:
        """Return the documents with the same path apart from an extension that only one side has."""
        stems = {reference: re.sub(_EXTENSION, r"\1", reference.strip("/")) for reference in references}
        names = [derive_document_name(stem) for stem in stems.values()]
        rows = self._stems.is_in(list(set(names))).arg_true()
        by_stem: dict[str, list[tuple[int, str]]] = {}
        sources = self._documents["source"].gather(rows)
        for row, name, source in zip(rows, self._stems.gather(rows), sources, strict=True):
            by_stem.setdefault(name, []).append((row, source))
        return {
            reference: [
                row
                for row, source in by_stem.get(name, ())
                if (source == re.sub(_EXTENSION, r"\1", source)) != (stem == reference.strip("/"))
                and _is_same_path("/" + re.sub(_EXTENSION, r"\1", source.strip("/")), "/" + stem)
            ]
            for (reference, stem), name in zip(stems.items(), names, strict=True)
        }

    def _find_fitting(
        self, reference: str, key: str, by_name: Mapping[str, list[tuple[int, str]]]
    ) -> list[int]:
        find_kind = _load_kinds().find_kind_by_name
        kind = find_kind(reference)
        matches = [
            (number, path)
            for number, path in by_name.get(derive_document_name(key), ())
            if _is_same_path(path, "/" + key)
            # a file suffix, if written, must match: notes.txt is not notes.xml
            and (kind is None or kind is find_kind(self._documents["source"][number]))
        ]
        if all(f"/{key}".endswith(path) for _, path in matches):  # the longest is the most precise
            longest = max((len(path) for _, path in matches), default=0)
            matches = [match for match in matches if len(match[1]) == longest]
        lines = (
            number for number, path in by_name.get(reference, ()) if path.endswith(LINE_MARK + reference)
        )
        return [*(number for number, _ in matches), *lines]

    def hint(self, reference: str) -> str:
        """Return the end of an error about an unknown document: documents with similar names."""
        name = derive_document_name(derive_document_key(reference))
        namesakes = [path[1:] for _, path in self._find_named([name]).get(name, ())]
        close = namesakes or difflib.get_close_matches(
            name, self._names.unique(maintain_order=True).to_list(), 3
        )
        return f"; similar: {', '.join(close[:3])}" if close else ""


def convert_sections(frame: pl.DataFrame, documents: pl.Series) -> pl.DataFrame:
    """Return rows with paths in place of offsets in a section of a document, and of the section's name.

    ``documents`` are the ids of the collection.

    >>> rows = pl.DataFrame({"doc": ["11/abstract", "7"], "start": [5, 0], "end": [9, 2]})
    >>> places = convert_sections(rows, pl.Series(["11"]))
    >>> places.select("doc", "start", "path").rows()
    [('11', None, '/article[1]/abstract[1]/text()[1].5'), ('7', 0, None)]
    """
    if not frame["doc"].str.contains(_SECTIONS).any():
        return frame
    parts = frame["doc"].str.extract_groups(_SECTIONS).struct.unnest()
    parent, begin, end = (parts.to_series(column) for column in range(3))
    ids = documents.implode()
    is_section = (parent.is_in(ids) & ~frame["doc"].is_in(ids)).fill_null(value=False)
    if not is_section.any():
        return frame
    frame = frame.with_columns(doc=parent.zip_with(is_section, frame["doc"]))
    if "start" not in frame.columns:  # judged documents: a judged section counts as its document
        return frame.unique(["topic", "doc"], keep="first", maintain_order=True)
    for name in ("path", "path_end"):
        if name not in frame.columns:
            frame = frame.with_columns(pl.lit(None, dtype=pl.String).alias(name))
    is_placed = is_section & (frame["start"] >= 0).fill_null(value=False)
    last = end.zip_with(end.is_not_null(), begin)
    for name, section, offset in (("path", begin, "start"), ("path_end", last, "end")):
        place = _build_section_paths(section) + "/text()[1]." + frame[offset].cast(pl.String)
        frame = frame.with_columns(place.zip_with(is_placed, frame[name]).alias(name))
    return frame.with_columns(pl.when(~is_placed).then(name).alias(name) for name in ("start", "end"))


def _build_section_paths(names: pl.Series) -> pl.Series:
    """Return the paths of sections; sections.0 is the first element ``section``."""
    number = names.str.extract(r"([0-9]+)$").cast(pl.Int64) + 1
    numbered = "section[" + number.cast(pl.String) + "]"
    unnumbered = names + "[1]"
    return "/article[1]/" + numbered.zip_with(number.is_not_null(), unnumbered)
