"""From what a user names to documents with ids: folders, archives and files, each taken once.

A document's key is its path below the source folder, without extension; its id is the last step of
the key where these are unique in the collection, else the whole key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from doxel.documents.parts import digest
from doxel.errors import InputError
from doxel.files import Member, members, strip_compression

__all__ = ["Ledger", "document_key", "document_members", "document_name"]

_XML_SUFFIXES = {".xml", ".nxml", ".jats", ".tei", ".dbk", ".docbook", ".page", ".xhtml"}


def document_key(source: str) -> str:
    """Return the path of a source without its extension.

    >>> document_key("tc/2001/t0111.xml.gz")
    'tc/2001/t0111'
    """
    path = PurePosixPath(strip_compression(source))
    return str(path.with_suffix("")) if path.suffix.lower() in _XML_SUFFIXES else str(path)


def document_name(key: str) -> str:
    """Return the last step of a document's key."""
    return key.rpartition("/")[2]


def document_members(sources: Iterable[str], ignored: Counter[str]) -> Iterator[Member]:
    """Yield the documents of all sources; files of other kinds in folders are counted by suffix.

    A file that is named alone is taken to be a document whatever it is called.
    """
    for source in sources:
        alone = Path(source).is_file()
        for member in members(source):
            suffix = PurePosixPath(strip_compression(member.name)).suffix.lower()
            if suffix in _XML_SUFFIXES or (alone and member.path is not None):
                yield member
            else:
                ignored[suffix or "no suffix"] += 1


class Ledger:
    """Knows every document of a collection by key, and refuses what would make an id ambiguous."""

    def __init__(self, known: Mapping[str, tuple[str, str]], *, ids: str | None) -> None:
        self._hashes = {key: source_hash for key, (_, source_hash) in known.items()}
        self._shown = {key: source for key, (source, _) in known.items()}
        self._by_name: dict[str, str] = {}
        self._ids = ids
        self.names_are_unique = True
        for key in known:
            self._note_name(key)

    def is_new(self, member: Member) -> bool:
        """Tell whether a document must be ingested; it is then taken as known.

        Raises InputError where its id would mean two documents.
        """
        key = document_key(member.name)
        if key in self._shown:
            if key in self._hashes and digest(member.read()) == self._hashes[key]:
                return False
            raise InputError(
                f"would be document {key!r} a second time, after {self._shown[key]}",
                file=member.display,
                wanted="one document an id; name a folder above both, so that their paths differ",
            )
        if self._ids == "name" and document_name(key) in self._by_name:
            other = self._shown[self._by_name[document_name(key)]]
            raise InputError(
                f"would make the document id {document_name(key)!r} ambiguous",
                file=member.display,
                wanted="base names that are unique in the collection, or a new collection with --ids path",
                found=f"{other} with the same base name",
            )
        self._shown[key] = member.display
        self._note_name(key)
        return True

    def _note_name(self, key: str) -> None:
        if self._by_name.setdefault(document_name(key), key) != key:
            self.names_are_unique = False
