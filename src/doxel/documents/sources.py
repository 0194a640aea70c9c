"""From what a user names to documents with ids: folders, archives and files, each taken once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from doxel.documents.identity import digest, document_key, document_name
from doxel.documents.jsonlines import MARK, is_json_lines, looks_like_json_lines, records
from doxel.documents.kinds import kind_by_name, suffix_of
from doxel.errors import InputError
from doxel.files import Member, members

__all__ = ["Ledger", "document_members"]


def document_members(
    sources: Iterable[str], ignored: Counter[str], left_out: Counter[str]
) -> Iterator[Member]:
    """Yield the documents of all sources; files of other kinds in folders are counted by suffix.

    A file that is named alone is taken to be a document whatever it is called.  Lines of JSON are
    documents each; their keys that are not read are counted in ``left_out``.
    """
    for source in sources:
        alone = os.path.isfile(source)  # noqa: PTH113 -- False where pathlib raises PermissionError
        for member in members(source):
            if kind_by_name(member.name) or member.whole:
                yield member
            elif is_json_lines(member.name):
                yield from records(member, left_out)
            elif alone and member.path is not None:
                yield from _named_alone(member, left_out)
            else:
                ignored[suffix_of(member.name) or "no suffix"] += 1


def _named_alone(member: Member, left_out: Counter[str]) -> Iterator[Member]:
    try:
        lines = looks_like_json_lines(member.read())
    except InputError:  # whoever reads it again will report it
        lines = False
    if lines:
        yield from records(member, left_out)
    else:
        yield member


class Ledger:
    """Knows every document of a collection by key, and refuses what would make an id ambiguous.

    ``known`` holds source and hash of what is in the collection already, by key.
    """

    def __init__(self, known: Mapping[str, tuple[str, str]], *, ids: str | None) -> None:
        self._hashes = {key: source_hash for key, (_, source_hash) in known.items()}
        self._shown = {key: source for key, (source, _) in known.items()}
        self._by_name = {document_name(key): key for key in known}
        self._ids = ids

    def is_new(self, member: Member) -> bool:
        """Tell whether a document must be ingested; it is then taken as known.

        Raises InputError where its id would mean two documents.
        """
        _check_name(member)
        key = document_key(member.name)
        if key in self._hashes:
            self._check_unchanged(key, member)
            return False
        if key in self._shown:
            raise InputError(
                f"would be document {key!r} a second time",
                file=member.display,
                wanted="one document an id"
                + ("" if MARK in key else "; name a folder above both, so that their paths differ"),
                found=f"{self._shown[key]} with the same {'id' if MARK in key else 'path below its source'}",
            )
        name = document_name(key)
        if self._ids == "name" and name in self._by_name:
            raise InputError(
                f"would make the document id {name!r} ambiguous",
                file=member.display,
                wanted="base names that are unique in the collection, or a new collection with --ids path",
                found=f"{self._shown[self._by_name[name]]} with the same base name",
            )
        self._shown[key] = member.display
        self._by_name.setdefault(name, key)
        return True

    def _check_unchanged(self, key: str, member: Member) -> None:
        if digest(member.read()) != self._hashes[key]:
            raise InputError(
                f"differs from the document {key!r} that the collection holds",
                file=member.display,
                wanted=f"the same content as when {self._shown[key]} was ingested, or a new collection",
                found="other content",
            )


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
