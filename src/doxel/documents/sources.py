"""From what a user names to documents: the files of folders and archives, and lines of JSON."""

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
