"""What makes a document that one and no other: its key, its name, and a hash of its bytes.

A document's key is its path below the source folder, without extension; its id is the last step of
the key where these are unique in the collection, else the whole key.  A line of JSON has an id of its
own, which takes the place of the last step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import PurePosixPath

from doxel.documents.jsonlines import MARK
from doxel.documents.kinds import kind_by_name, suffix_of
from doxel.files import strip_compression

__all__ = ["digest", "document_key", "document_name", "names_are_unique"]


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
    # collections ask this of every document they have, and a path object costs more than all the rest
    return str(PurePosixPath(name)) if "//" in name or "./" in name or name.endswith("/") else name


def document_name(key: str) -> str:
    """Return the last step of a document's key.

    >>> document_name("tc/2001/t0111"), document_name("web/corpus.jsonl#http://a/b")
    ('t0111', 'http://a/b')
    """
    return key.partition(MARK)[2] if MARK in key else key.rpartition("/")[2]


def names_are_unique(keys: Collection[str]) -> bool:
    """Tell whether the last step of each key is enough to tell the documents apart.

    >>> names_are_unique(["a/1", "b/1"])
    False
    """
    return len({document_name(key) for key in keys}) == len(keys)


def digest(data: bytes) -> str:
    """Return a hash of some bytes, short enough to print."""
    return hashlib.sha256(data).hexdigest()[:32]
