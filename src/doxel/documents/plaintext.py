"""Plain text documents, by the rule ``text-source``: the decoded file, unchanged, line ends included.

The elements are ``document``, the paragraphs in it (``p``) and the sentences in these (``s``), as defined in
:mod:`doxel.documents.sentences`.
"""

from __future__ import annotations

from doxel.documents.columns import NodeColumns
from doxel.documents.declare import Kind
from doxel.documents.encoding import decode_source
from doxel.documents.outline import Outline
from doxel.documents.sentences import paragraphs, sentences

__all__ = ["TEXT", "outline_of"]


def outline_of(text: str, name: str) -> Outline:
    """Return the paragraphs and sentences of a text as elements."""
    outline = Outline(name)
    outline.open("document", 0)
    starts, ends = (side.tolist() for side in sentences(text))
    number = 0
    for start, end in zip(*(side.tolist() for side in paragraphs(text)), strict=True):
        outline.open("p", start)
        while number < len(starts) and ends[number] <= end:
            outline.open("s", starts[number])
            outline.close(ends[number])
            number += 1
        outline.close(end)
    outline.close(len(text))
    return outline


def _read(columns: NodeColumns, data: bytes, name: str) -> bytes:
    text = decode_source(data, name)
    outline_of(text, name).add_to(columns)
    return text.encode()


TEXT = Kind("text", rule="text-source", suffixes=(".txt", ".text"), open=lambda _declared: _read)
