"""The ledger of an ingestion: every document of a collection by key, however many there are.

It is a database of SQLite that lives as long as it is open.  A few megabytes of it are held in memory; what
is more goes to a temporary file that the system removes, so that memory does not grow with a collection.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Self

from doxel.documents.identity import digest, document_key, document_name
from doxel.documents.jsonlines import MARK
from doxel.errors import CollectionError, InputError
from doxel.files import Member

__all__ = ["Ledger"]

_HELD = 8_000  # kilobytes of it in memory
_TABLES = (
    "CREATE TABLE documents (key TEXT PRIMARY KEY, shown BLOB, hash TEXT) WITHOUT ROWID",
    "CREATE TABLE names (name TEXT PRIMARY KEY, key TEXT) WITHOUT ROWID",
)
_ENTER_DOCUMENT = "INSERT OR IGNORE INTO documents VALUES (?, ?, ?)"
_ENTER_NAME = "INSERT OR IGNORE INTO names VALUES (?, ?)"
# what is lost in a crash is a list that the next ingestion makes anew
_SETTINGS = (f"cache_size=-{_HELD}", "journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE")


class Ledger:
    """Knows every document of a collection by key, and refuses what would make an id ambiguous.

    ``ids`` is what ids are made of, as far as that is decided.  ``names_differ`` is whether no two documents
    met so far have the same name; with ids by path nobody asks, and it is not kept.
    """

    def __init__(self, *, ids: str | None) -> None:
        self._ids = ids
        self.names_differ = True
        self._database = sqlite3.connect("", isolation_level=None)  # no name: a temporary one
        for one in (*(f"PRAGMA {setting}" for setting in _SETTINGS), *_TABLES, "BEGIN"):
            self._database.execute(one)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def add_known(self, documents: Iterable[tuple[str, str]]) -> None:
        """Enter documents that the collection holds: their sources and the hashes of their bytes."""
        entries = [(document_key(source), _packed(source), content) for source, content in documents]
        with _explained():
            self._database.executemany(_ENTER_DOCUMENT, entries)
            if self._ids != "path":
                names = [(document_name(key), key) for key, _, _ in entries]
                entered = self._database.executemany(_ENTER_NAME, names).rowcount
                self.names_differ = self.names_differ and entered == len(names)

    def is_new(self, member: Member) -> bool:
        """Tell whether a document must be ingested; it is then taken as known.

        Raises InputError where its id would mean two documents.
        """
        _check_name(member)
        key = document_key(member.name)
        with _explained():
            if self._database.execute(_ENTER_DOCUMENT, (key, _packed(member.display), None)).rowcount == 0:
                self._check_same(key, member)
                return False
            if self._ids != "path":
                self._check_name_is_free(key, member)
        return True

    def _found(self, key: str) -> tuple[str, str | None]:
        """Return how a document that is there is called, and the hash of its bytes if it was there before."""
        row = self._database.execute("SELECT shown, hash FROM documents WHERE key = ?", (key,)).fetchone()
        return row[0].decode(errors="surrogatepass"), row[1]

    def _check_same(self, key: str, member: Member) -> None:
        """Refuse the second document of a key, unless it is the one that the collection holds."""
        shown, known = self._found(key)
        if known is None:
            raise InputError(
                f"would be document {key!r} a second time",
                file=member.display,
                wanted="one document an id"
                + ("" if MARK in key else "; name a folder above both, so that their paths differ"),
                found=f"{shown} with the same {'id' if MARK in key else 'path below its source'}",
            )
        if digest(member.read()) != known:
            raise InputError(
                f"differs from the document {key!r} that the collection holds",
                file=member.display,
                wanted=f"the same content as when {shown} was ingested, or a new collection",
                found="other content",
            )

    def _check_name_is_free(self, key: str, member: Member) -> None:
        """Refuse the second document of a name where names are ids, and forget that it was entered."""
        name = document_name(key)
        if self._database.execute(_ENTER_NAME, (name, key)).rowcount:
            return
        self.names_differ = False
        if self._ids == "name":
            (other,) = self._database.execute("SELECT key FROM names WHERE name = ?", (name,)).fetchone()
            self._database.execute("DELETE FROM documents WHERE key = ?", (key,))
            raise InputError(
                f"would make the document id {name!r} ambiguous",
                file=member.display,
                wanted="base names that are unique in the collection, or a new collection with --ids path",
                found=f"{self._found(other)[0]} with the same base name",
            )


def _packed(shown: str) -> bytes:
    """Return what a document is called, in whatever characters, for the database."""
    return shown.encode(errors="surrogatepass")


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise CollectionError(f"the list of documents cannot be kept in a temporary file: {error}") from error


def _check_name(member: Member) -> None:
    """Refuse a name that no table, and no run that refers to the document, could hold."""
    try:
        member.name.encode()
    except UnicodeEncodeError:
        raise InputError(
            "file name is no text",
            file=member.display.encode(errors="backslashreplace").decode(),
            wanted="a name in UTF-8",
            found=ascii(member.name),
        ) from None
