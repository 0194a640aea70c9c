"""The identity of documents: key, name, and hash of the source bytes.

A document's key is its path below the source folder, without extension.  Its id is its name, the last
step of the key, if names are unique in the collection, else the whole key.  The name of a line of JSON is
the id written in it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import PurePosixPath

import polars as pl

from doxel.documents.jsonlines import MARK
from doxel.documents.kinds import KINDS, kind_by_name, suffix_of
from doxel.files import strip_compression
from doxel.files.compression import COMPRESSED_SUFFIXES

__all__ = ["digest", "document_key", "document_keys", "document_name", "document_names"]


def _one_of(suffixes: Iterable[str]) -> str:
    return "|".join(map(re.escape, suffixes))


_PACKED = rf"(?is)^(.*[^/])(?:{_one_of(COMPRESSED_SUFFIXES)})$"
_SUFFIXED = rf"(?is)^(.*[^/])(?:{_one_of(suffix for kind in KINDS for suffix in kind.suffixes)})$"
_UNUSUAL = rf"//|\./|/$|{re.escape(MARK)}"  # sources whose key is more than the name without its suffix


def document_key(source: str) -> str:
    """Return the path of a source without its extension.

    >>> document_key("tc/2001/t0111.xml.gz")
    'tc/2001/t0111'
    """
    if MARK in source:
        return source
    name = strip_compression(source)
    if kind_by_name(source):
        name = name[: -len(suffix_of(source))]
    # called for every document of a collection: a path object would cost more than everything else
    return str(PurePosixPath(name)) if "//" in name or "./" in name or name.endswith("/") else name


def document_name(key: str) -> str:
    """Return the last step of a document's key.

    >>> document_name("tc/2001/t0111"), document_name("web/corpus.jsonl#http://a/b")
    ('t0111', 'http://a/b')
    """
    return key.partition(MARK)[2] if MARK in key else key.rpartition("/")[2]


def document_keys(sources: pl.Series) -> pl.Series:
    """Return the ``document_key`` of each source.

    >>> document_keys(pl.Series(["tc/2001/t0111.xml.gz", "notes", "web/corpus.jsonl#a.xml"])).to_list()
    ['tc/2001/t0111', 'notes', 'web/corpus.jsonl#a.xml']
    """
    keys = sources.str.replace(_PACKED, "$1").str.replace(_SUFFIXED, "$1")
    unusual = sources.str.contains(_UNUSUAL)
    if unusual.any():
        rows = unusual.arg_true()
        keys = keys.scatter(rows, [document_key(source) for source in sources.gather(rows)])
    return keys


def document_names(keys: pl.Series) -> pl.Series:
    """Return the ``document_name`` of each key."""
    is_line = keys.str.contains(MARK, literal=True)
    if not is_line.any():
        return keys.str.replace(r"(?s)^.*/", "")
    lines = keys.str.replace(rf"(?s)^.*?{re.escape(MARK)}", "")
    return lines.zip_with(is_line, keys.str.replace(r"(?s)^.*/", ""))


def digest(data: bytes) -> str:
    """Return a hash of bytes, short enough to print."""
    return hashlib.sha256(data).hexdigest()[:32]
