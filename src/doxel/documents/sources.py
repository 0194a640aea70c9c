"""Find the documents in the given sources: files, folders, archives and lines of JSON."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator

from doxel.documents.jsonlines import is_json_lines, looks_like_json_lines, records
from doxel.documents.kinds import kind_by_name, suffix_of
from doxel.errors import InputError
from doxel.files import Member, members

__all__ = ["document_members"]


def document_members(
    sources: Iterable[str], ignored: Counter[str], left_out: Counter[str]
) -> Iterator[Member]:
    """Yield the documents of all sources; files of other kinds in folders are counted in ``ignored``.

    A file given by itself is read as a document whatever its suffix.  Each line of JSON is a document; keys
    that are not read are counted in ``left_out``.
    """
    for source in sources:
        is_file = os.path.isfile(source)  # noqa: PTH113 -- False where pathlib raises PermissionError
        for member in members(source):
            if kind_by_name(member.name) or member.whole:
                yield member
            elif is_json_lines(member.name):
                yield from records(member, left_out)
            elif is_file and member.path is not None:
                yield from _named_alone(member, left_out)
            else:
                ignored[suffix_of(member.name) or "no suffix"] += 1


def _named_alone(member: Member, left_out: Counter[str]) -> Iterator[Member]:
    try:
        has_records = looks_like_json_lines(member.read())
    except InputError:  # reading it again will report the error
        has_records = False
    if has_records:
        yield from records(member, left_out)
    else:
        yield member
