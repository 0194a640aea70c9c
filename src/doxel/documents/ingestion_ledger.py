"""The ledger of an ingestion: all documents of a collection, by key.

It is a temporary SQLite database.  A few megabytes of it are cached in memory; the rest is in a temporary
file that the system removes, so memory does not grow with the collection.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Self

from doxel.documents.document_names import (
    LINE_MARK,
    compute_digest,
    derive_document_key,
    derive_document_name,
)
from doxel.errors import CollectionError, InputError
from doxel.files import Member

__all__ = ["Ledger"]

_CACHE_KILOBYTES = 8_000  # kilobytes cached in memory
_TABLES = (
    "CREATE TABLE documents (key TEXT PRIMARY KEY, shown BLOB, hash TEXT) WITHOUT ROWID",
    "CREATE TABLE names (name TEXT PRIMARY KEY, key TEXT) WITHOUT ROWID",
)
_ENTER_DOCUMENT = "INSERT OR IGNORE INTO documents VALUES (?, ?, ?)"
_ENTER_NAME = "INSERT OR IGNORE INTO names VALUES (?, ?)"
# a crash may lose the database: the next ingestion builds it again
_SETTINGS = (
    f"cache_size=-{_CACHE_KILOBYTES}",
    "journal_mode=OFF",
    "synchronous=OFF",
    "locking_mode=EXCLUSIVE",
)


class Ledger:
    """Lists the documents of a collection by key, and refuses documents that would make an id ambiguous.

    ``ids`` is "name" or "path", or None if that is not decided yet.  ``names_differ`` is whether all
    documents so far have different names; with ids by path it is not maintained.
    """

    def __init__(self, *, ids: str | None) -> None:
        self._ids = ids
        self.names_differ = True
        self._database = sqlite3.connect("", isolation_level=None)  # an empty name: temporary
        for statement in (*(f"PRAGMA {setting}" for setting in _SETTINGS), *_TABLES, "BEGIN"):
            self._database.execute(statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def add_known(self, documents: Iterable[tuple[str, str]]) -> None:
        """Add documents of the collection: their sources and the hashes of their bytes."""
        entries = [
            (derive_document_key(source), _encode_name(source), content) for source, content in documents
        ]
        with _explain_errors():
            self._database.executemany(_ENTER_DOCUMENT, entries)
            if self._ids != "path":
                names = [(derive_document_name(key), key) for key, _, _ in entries]
                entered = self._database.executemany(_ENTER_NAME, names).rowcount
                self.names_differ = self.names_differ and entered == len(names)

    def is_new(self, member: Member) -> bool:
        """Return whether a document must be ingested, and add it to the ledger.

        Raises InputError if its id would be ambiguous.
        """
        _check_name(member)
        key = derive_document_key(member.name)
        with _explain_errors():
            if (
                self._database.execute(_ENTER_DOCUMENT, (key, _encode_name(member.display), None)).rowcount
                == 0
            ):
                self._check_same(key, member)
                return False
            if self._ids != "path":
                self._check_name_is_free(key, member)
        return True

    def _find_listed(self, key: str) -> tuple[str, str | None]:
        """Return the display name of a listed document, and its hash if the collection contains it."""
        row = self._database.execute("SELECT shown, hash FROM documents WHERE key = ?", (key,)).fetchone()
        return row[0].decode(errors="surrogatepass"), row[1]

    def _check_same(self, key: str, member: Member) -> None:
        """Refuse a second document with the same key, unless the collection contains the same document."""
        display, content_hash = self._find_listed(key)
        if content_hash is None:
            raise InputError(
                f"would be a second document {key!r}",
                file=member.display,
                wanted="one document per id"
                + ("" if LINE_MARK in key else "; pass a folder above both, so that their paths differ"),
                found=f"{display} with the same {'id' if LINE_MARK in key else 'path below its source'}",
            )
        if compute_digest(member.read()) != content_hash:
            raise InputError(
                f"differs from the document {key!r} in the collection",
                file=member.display,
                wanted=f"the same content as when {display} was ingested, or a new collection",
                found="other content",
            )

    def _check_name_is_free(self, key: str, member: Member) -> None:
        """Refuse a second document with the same name if names are ids, and remove it from the ledger."""
        name = derive_document_name(key)
        if self._database.execute(_ENTER_NAME, (name, key)).rowcount:
            return
        self.names_differ = False
        if self._ids == "name":
            (other_key,) = self._database.execute("SELECT key FROM names WHERE name = ?", (name,)).fetchone()
            self._database.execute("DELETE FROM documents WHERE key = ?", (key,))
            raise InputError(
                f"would make the document id {name!r} ambiguous",
                file=member.display,
                wanted="base names that are unique in the collection, or a new collection with --ids path",
                found=f"{self._find_listed(other_key)[0]} with the same base name",
            )


def _encode_name(display: str) -> bytes:
    """Return a display name as bytes for the database; it may contain lone surrogates."""
    return display.encode(errors="surrogatepass")


@contextlib.contextmanager
def _explain_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise CollectionError(f"cannot write the list of documents to a temporary file: {error}") from error


def _check_name(member: Member) -> None:
    """Refuse a name that is not valid text: tables and runs could not store it."""
    try:
        member.name.encode()
    except UnicodeEncodeError:
        raise InputError(
            "file name is not text",
            file=member.display.encode(errors="backslashreplace").decode(),
            wanted="a name in UTF-8",
            found=ascii(member.name),
        ) from None
