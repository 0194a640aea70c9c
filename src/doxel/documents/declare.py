"""The declaration of a kind of source document, at the end of the file that reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from doxel.documents.columns import NodeColumns
from doxel.markup import Declarations

__all__ = ["Kind", "Reader"]

Reader = Callable[[NodeColumns, bytes, str], bytes]
"""Appends a document, given its bytes and its name for errors, and returns its text in UTF-8.

If the document cannot be read it raises InputError and appends nothing.
"""


@dataclass(frozen=True)
class Kind:
    """A kind of source document: its name, file suffixes, text rule and reader.

    ``suffixes`` are in lower case; ``open`` creates a reader for any number of documents.  The rule defines
    which characters count as text, and collections store its name.  ``in_lines``: a line of JSON may
    contain such a document.
    """

    name: str
    rule: str
    suffixes: tuple[str, ...]
    open: Callable[[Declarations], Reader]
    in_lines: bool = True
