"""Use any text splitter as a chunker: functions, and objects of splitter libraries.

Objects are recognised by their methods, in the order of ``SPLITTER_KINDS``, without importing their library.
A splitter returns a list: texts, spans (start, end), or objects with a text and usually offsets.

Offsets count if the document has the text there, and each chunk starts no earlier and ends later than the one
before it.  Otherwise the chunks of a document are placed by their texts, all together and in order (see
:mod:`doxel.alignment.successive_texts`): some libraries report the first occurrence of a repeated text, or
offsets in a cleaned text.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from doxel.alignment.aligner import UNPLACED
from doxel.alignment.successive_texts import place_in_order
from doxel.errors import InputError
from doxel.spans import MAX_OFFSET, Ints
from doxel.wording import pluralise, quote_value

__all__ = [
    "SPLITTER_KINDS",
    "PlacementCounts",
    "SplitterKind",
    "find_splitter_call",
    "is_splitter",
    "name_splitter",
    "place_chunks",
]

SpanArrays = tuple[Ints, Ints]

MOVED = "moved"  # chunks whose offsets were wrong
_WANTED = "a list of texts, of spans (start, end), or of chunks with a text or offsets"


@dataclass(frozen=True)
class SplitterKind:
    """A kind of splitter: the method by which it is recognised, and the argument that the method takes."""

    name: str
    method: str
    convert: Callable[[str], Any] = str


@dataclass
class _PlainDocument:
    """A document in the form that LangChain's splitters expect."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: None = None


def _build_nodes_input(text: str) -> list[Any]:
    """Return a text as a LlamaIndex document; a caller with a node parser has imported the class."""
    schema = sys.modules.get("llama_index.core.schema")
    if schema is None:
        raise InputError(
            "a splitter with get_nodes_from_documents",
            wanted="an object of llama_index.core",
            found="another one; pass a function from a text to chunks instead",
        )
    return [schema.Document(text=text)]


SPLITTER_KINDS = (
    SplitterKind("LangChain text splitter", "create_documents", lambda text: [text]),
    SplitterKind("LlamaIndex text splitter, LangChain header splitter", "split_text"),
    SplitterKind("LlamaIndex node parser", "get_nodes_from_documents", _build_nodes_input),
    SplitterKind("LangChain splitter of documents", "split_documents", lambda text: [_PlainDocument(text)]),
    SplitterKind("chonkie chunker", "chunk"),
    SplitterKind("function, semchunk chunker", "__call__"),
)


def find_kind(splitter: Any) -> SplitterKind | None:
    """Return the kind of a splitter, or None if the object is not a splitter."""
    if isinstance(splitter, str | Mapping):
        return None
    return next((kind for kind in SPLITTER_KINDS if callable(getattr(splitter, kind.method, None))), None)


def is_splitter(value: Any) -> bool:
    """Return whether a value can cut texts.

    >>> is_splitter(str.split), is_splitter([("a", 0, 5)])
    (True, False)
    """
    return find_kind(value) is not None


def find_splitter_call(splitter: Any) -> tuple[Callable[..., Any], Callable[[str], Any]]:
    """Return the function or method that cuts texts, and the function that turns a text into its argument."""
    kind = find_kind(splitter)
    if kind is None:
        methods = ", ".join(kind.method for kind in SPLITTER_KINDS[:-1])
        wanted = f"a function from a text to chunks, or an object with one of {methods}"
        raise InputError("a splitter", wanted=wanted, found=quote_value(splitter))
    if inspect.isclass(splitter):
        wanted = f"an object, such as {splitter.__name__}(...)"
        raise InputError("a splitter", wanted=wanted, found=f"the class {splitter.__name__}")
    if kind.method != "__call__":
        return getattr(splitter, kind.method), kind.convert
    if _takes_offsets(splitter):  # semchunk returns texts and offsets if asked to
        return functools.partial(splitter, offsets=True), str
    return splitter, str


def _takes_offsets(splitter: Callable[..., Any]) -> bool:
    try:
        return "offsets" in inspect.signature(splitter).parameters
    except (TypeError, ValueError):  # a function of C has no signature
        return False


def name_splitter(splitter: Any) -> str:
    """Return the name of a function, or of the class of an object.

    >>> name_splitter(str.split), name_splitter(functools.partial(str.split, sep=","))
    ('split', 'split')
    """
    function = splitter.func if isinstance(splitter, functools.partial) else splitter
    return str(getattr(function, "__name__", None) or type(function).__name__)


@dataclass
class PlacementCounts:
    """Counts how the chunks of a splitter were found, and keeps the first that was not found."""

    ways: Counter[str] = field(default_factory=Counter)
    first_unplaced: str = ""

    @property
    def total(self) -> int:
        """The number of chunks."""
        return self.ways.total() - self.ways[MOVED]

    def check(self, name: str) -> None:
        """Raise an error if a splitter returned chunks and none of them was found."""
        if self.total and self.ways[UNPLACED] == self.total:
            raise InputError(
                f"chunker {name!r}",
                wanted="texts from the documents",
                found=f"{pluralise(self.total, 'chunk')}, none of them in its document; "
                f"the first: {self.first_unplaced}",
            )

    def describe(self, name: str) -> list[str]:
        """Return sentences about chunks that were not found, or not with this text at their offsets."""
        unplaced, fuzzy, moved = (self.ways[way] for way in (UNPLACED, "fuzzy", MOVED))
        sentences = {
            f"{unplaced:,} of {pluralise(self.total, 'chunk')} not found in the documents and left out; "
            f"the first: {self.first_unplaced}": unplaced,
            pluralise(fuzzy, "chunk was", "chunks were") + " found with differences from the document": fuzzy,
            pluralise(moved, "chunk was", "chunks were")
            + " placed by the text, because the offsets do not fit it": moved,
        }
        return [f"{name}: {sentence}" for sentence, count in sentences.items() if count]


class _SplitChunk(NamedTuple):
    """A chunk as a splitter returns it: offsets, a text, or both."""

    start: int | None
    end: int | None
    text: str | None


def place_chunks(output: Any, text: str, label: str, counts: PlacementCounts) -> SpanArrays:
    """Return the output of a splitter as starts and ends; chunks that are not found are left out and counted.

    ``label`` names the splitter and the document in errors.
    """
    if _is_pair_of_arrays(output):
        return np.asarray(output[0], dtype=np.int64), np.asarray(output[1], dtype=np.int64)
    chunks = [
        _check_chunk(chunk, number, label) for number, chunk in enumerate(_list_chunks(output, label), 1)
    ]
    texts = [chunk.text for chunk in chunks if chunk.text is not None]
    if not texts:
        counts.ways["offsets"] += len(chunks)
        return _build_arrays([(chunk.start, chunk.end) for chunk in chunks])
    if len(texts) < len(chunks):
        raise InputError(label, wanted=_WANTED, found="chunks with a text and chunks without")
    if _has_right_offsets(chunks, text):
        counts.ways["offsets"] += len(chunks)
        return _build_arrays([(chunk.start, chunk.end) for chunk in chunks])
    return _place_texts(chunks, texts, text, label, counts)


def _place_texts(
    chunks: Sequence[_SplitChunk], texts: Sequence[str], text: str, label: str, counts: PlacementCounts
) -> SpanArrays:
    spans = place_in_order(text, texts)
    for number, (chunk, span) in enumerate(zip(chunks, spans, strict=True), 1):
        counts.ways[span.how] += 1
        counts.ways[MOVED] += chunk.start is not None and chunk.start != span.start >= 0
        if span.how == UNPLACED and not counts.first_unplaced:
            document = label.partition(", ")[2]
            counts.first_unplaced = f"{document}, chunk {number}, {quote_value(chunk.text)}"
    return _build_arrays([(span.start, span.end) for span in spans if span.how != UNPLACED])


def _is_pair_of_arrays(output: Any) -> bool:
    return isinstance(output, tuple) and len(output) == 2 and isinstance(output[0], np.ndarray)


def _build_arrays(pairs: Sequence[tuple[int | None, int | None]]) -> SpanArrays:
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def _list_chunks(output: Any, label: str) -> list[Any]:
    if isinstance(output, str | Mapping) or not isinstance(output, Iterable):
        raise InputError(label, wanted=_WANTED, found=quote_value(output))
    chunks = list(output)
    has_offsets = isinstance(output, tuple) and len(chunks) == 2 and isinstance(chunks[0], list)
    if has_offsets and all(isinstance(text, str) for text in chunks[0]) and len(chunks[0]) == len(chunks[1]):
        return [(*pair, text) for text, pair in zip(*chunks, strict=True)]  # semchunk: texts and offsets
    return chunks


def _check_chunk(chunk: Any, number: int, label: str) -> _SplitChunk:
    split_chunk = _convert_chunk(chunk)
    if split_chunk is None or (
        split_chunk.text is None and (split_chunk.start is None or split_chunk.end is None)
    ):
        raise InputError(f"{label}, chunk {number}", wanted=_WANTED, found=quote_value(chunk))
    return split_chunk


def _convert_chunk(chunk: Any) -> _SplitChunk | None:
    """Return a text, a span, a span with its text, a dict or an object of a library as a chunk."""
    if isinstance(chunk, str):
        return _SplitChunk(None, None, chunk)
    if isinstance(chunk, tuple | list | np.ndarray):
        if len(chunk) not in {2, 3}:
            return None
        text = chunk[2] if len(chunk) == 3 and isinstance(chunk[2], str) else None
        return _SplitChunk(_convert_offset(chunk[0]), _convert_offset(chunk[1]), text)
    get: Callable[[str], Any] = (
        chunk.get if isinstance(chunk, Mapping) else functools.partial(_get_attribute, chunk)
    )
    metadata = get("metadata")
    texts = (get("page_content"), get("text"), get("content"))
    text = next((value for value in texts if isinstance(value, str)), None)
    starts = [get("start"), get("start_index"), get("start_char_idx")]
    if isinstance(metadata, Mapping):
        starts.append(metadata.get("start_index"))
    start = next((offset for offset in map(_convert_offset, starts) if offset is not None), None)
    ends = (get("end"), get("end_index"), get("end_char_idx"))
    end = next((offset for offset in map(_convert_offset, ends) if offset is not None), None)
    if end is None and start is not None and text is not None:
        end = start + len(text)
    return _SplitChunk(start, end, text)


def _get_attribute(chunk: Any, name: str) -> Any:
    return getattr(chunk, name, None)


def _convert_offset(value: Any) -> int | None:
    """Return a whole number of Python or NumPy; None for anything else."""
    is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
    number = operator.index(value) if is_whole else MAX_OFFSET + 1
    return number if abs(number) <= MAX_OFFSET else None


def _has_right_offsets(chunks: Sequence[_SplitChunk], text: str) -> bool:
    """Return whether all chunks are at their offsets, in the order of the document."""
    last_start, last_end = 0, 0
    for start, end, chunk_text in chunks:
        if start is None or end is None or chunk_text is None:
            return False
        if not (last_start <= start < end <= len(text) and last_end < end):
            return False
        passage = text[start:end]
        if passage != chunk_text and passage.split() != chunk_text.split():
            return False
        last_start, last_end = start, end
    return True
