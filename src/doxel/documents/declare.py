"""What a kind of source document is: declared once, at the end of the file that reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from doxel.documents.columns import NodeColumns
from doxel.markup import Declarations

__all__ = ["Kind", "Reader"]

Reader = Callable[[NodeColumns, bytes, str], bytes]
"""Appends a document, given its bytes and what to call it in errors, and returns its text in UTF-8.

A document that cannot be read is an InputError, and nothing is appended.
"""


@dataclass(frozen=True)
class Kind:
    """A kind of source document: how it is called and recognised, its text rule, and how it is read.

    ``suffixes`` are those of file names, in small letters; ``open`` makes a reader for any number of
    documents.  The rule says which characters are counted, and collections name it.  ``in_lines``: a line of
    JSON may hold such a document.
    """

    name: str
    rule: str
    suffixes: tuple[str, ...]
    open: Callable[[Declarations], Reader]
    in_lines: bool = True
