"""Build the search index of a collection: batch by batch, locally or on a cluster, atomically.

An index of the engine has one writer, but it is a folder of independent segments and a list of them,
``meta.json``.  So several processes or machines write batches of documents as small indexes, whose
segments are then moved into one folder and whose lists are merged.  Extracting the texts is a ninth of the
work and writing the index the rest, so parallel extraction with a single writer would save almost nothing.

Scores do not depend on how documents are divided: the engine counts words and lengths over all segments.

The texts of elements are extracted with words separated where markup separates them.  The text of
``<title>Maps</title><p>Roads`` has no white space between its two words, while ``H<sub>2</sub>O`` is one
word.  The parent element decides: if it has text of its own, its children are inline; otherwise they are
blocks, and a line end is added between them.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel._version import __version__
from doxel.documents import Collection
from doxel.errors import CollectionError
from doxel.executors import run_items
from doxel.files import explain_os_error, write_file
from doxel.files.checksums import FileChecksum, compute_checksum, compute_seal
from doxel.files.outputs import read_umask
from doxel.search.search_engine import (
    ELEMENT_FIELD,
    SHELVES,
    TEXT_FIELD,
    Shelf,
    WordStemmer,
    create_engine_index,
    find_shelf,
    import_engine,
    open_engine_index,
)
from doxel.spans import Floats, Ints
from doxel.topics.nexi.query_parser import NUMBER_PATTERN

__all__ = [
    "INDEX_FORMAT",
    "NUMBERS_FILE",
    "SUMMARY_FILE",
    "IndexBatch",
    "IndexSummary",
    "build_index",
    "divide_into_batches",
    "find_index_folder",
    "index_batch",
    "merge_batches",
    "read_element_texts",
    "read_index_state",
    "separate_blocks",
]

INDEX_FORMAT = 2  # 1, of doxel 1.x, has no checksums
SUMMARY_FILE, NUMBERS_FILE = "index.json", "numbers.parquet"
_FEW = 3_000_000  # characters; for fewer, starting processes takes longer than it saves
_TRIES, _PAUSE = 100, 0.1  # seconds between tries; in total longer than a batch takes


@dataclass(frozen=True)
class IndexSummary:
    """The metadata of an index; ``files`` has the checksum of each of its files."""

    state: str
    stem: str
    elements: int
    fingerprint: str
    format: int = INDEX_FORMAT
    engine: str = ""
    written_by: str = __version__
    files: Mapping[str, FileChecksum] = field(default_factory=dict)


def read_index_state(collection: Collection) -> str:
    """Return a digest of everything an index depends on: the documents, their sources, and their order."""
    table = collection.documents.select("source", "source_hash", "rule", "text_hash", "elements")
    lines = table.select(pl.concat_str(pl.all().cast(pl.String).fill_null(""), separator="\t")).to_series()
    digest = hashlib.sha256(collection.fingerprint.encode())
    digest.update("\n".join(lines).encode())
    return digest.hexdigest()[:16]


def find_index_folder(collection: Collection, stem: str) -> Path:
    """Return the folder of the index for the current state of a collection."""
    return collection.folder / f"search-{stem}-{read_index_state(collection)}"


def build_index(
    collection: Collection,
    stem: str,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Build the index of a collection beside its parts, unless another process has built it meanwhile.

    The folder gets its name when the index is complete; indexes of earlier states are then removed.
    ``jobs`` is the number of processes; ``cluster`` is the address of a Dask scheduler whose workers build
    the index instead.  ``progress`` is called after each batch with its number of elements and of
    characters.
    """
    import_engine()
    target = find_index_folder(collection, stem)
    with _hold_lock(collection.folder):
        if not (target / SUMMARY_FILE).exists():
            _remove_indexes(collection.folder, f".search-{stem}-*")
            # an absolute path, because workers have other working directories
            scratch = Path(tempfile.mkdtemp(dir=collection.folder.absolute(), prefix=f".{target.name}."))
            try:
                _write_index(scratch, collection, stem, jobs, cluster, progress)
                shutil.rmtree(target, ignore_errors=True)
                scratch.chmod(0o777 & ~read_umask())
                scratch.rename(target)
            finally:
                _remove_scratch(scratch)
        _remove_indexes(collection.folder, f"search-{stem}-*", but=target)
    return target


def _write_index(
    folder: Path,
    collection: Collection,
    stem: str,
    jobs: int | None,
    cluster: str | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    characters = sum(part.characters for part in collection.manifest.parts)
    jobs = 1 if jobs is None and characters < _FEW else jobs
    indexed_batches: list[IndexedBatch] = []
    index = partial(index_batch, collection, stem, folder)
    for indexed in run_items(index, divide_into_batches(collection), jobs=jobs, cluster=cluster):
        indexed_batches.append(indexed)
        if progress is not None:
            progress(indexed.elements, indexed.characters)
    merge_batches(folder, indexed_batches, stem)
    numbers = {
        "element": np.concatenate([indexed.numbers for indexed in indexed_batches]),
        "value": np.concatenate([indexed.values for indexed in indexed_batches]),
    }
    table = pl.DataFrame(numbers).sort("element")
    table.write_parquet(folder / NUMBERS_FILE, compression="zstd", statistics=False)
    summary = IndexSummary(
        state=read_index_state(collection),
        stem=stem,
        elements=sum(indexed.elements for indexed in indexed_batches),
        fingerprint=collection.fingerprint,
        engine=str(import_engine().__version__),
        files={
            path.relative_to(folder).as_posix(): compute_checksum(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".lock"  # the engine's locks come and go
        },
    )
    sealed = {**vars(summary), "checksum": compute_seal(vars(summary))}
    write_file(folder / SUMMARY_FILE, f"{json.dumps(sealed, indent=1)}\n".encode())


@contextlib.contextmanager
def _hold_lock(folder: Path) -> Iterator[None]:
    """Hold the lock for building: other processes wait, and then find the finished index."""
    try:
        stream: Any = (folder / ".search.lock").open("w")
    except OSError as error:
        raise CollectionError(
            f"{folder}: the search index cannot be written: {explain_os_error(error)}"
        ) from error
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        try:
            yield
        except OSError as error:
            raise CollectionError(
                f"{folder}: the search index cannot be written: {explain_os_error(error)}"
            ) from error


def _remove_indexes(folder: Path, pattern: str, but: Path | None = None) -> None:
    for path in folder.glob(pattern):
        if path != but:
            shutil.rmtree(path, ignore_errors=True)


def _remove_scratch(scratch: Path) -> None:
    """Remove an unfinished index; after a failure, workers may continue to write into it for a moment."""
    for _ in range(_TRIES):
        shutil.rmtree(scratch, ignore_errors=True)
        if not scratch.exists():
            return
        time.sleep(_PAUSE)


_BATCH = 4_000_000  # characters: about a second of work
_HEAP = 30_000_000  # bytes: enough for the largest shelf of a batch to become one segment
_MOST_DIGITS = 400  # characters, including white space, of the longest number
_NUMBER = re.compile(NUMBER_PATTERN)
_SEGMENT_LIST, _FILE_LIST = "meta.json", ".managed.json"


@dataclass(frozen=True)
class IndexBatch:
    """Documents that are indexed together: rows ``first`` to ``end`` (exclusive) of the collection."""

    first: int
    end: int
    names: str

    def __str__(self) -> str:
        return self.names


@dataclass(frozen=True)
class IndexedBatch:
    """An indexed batch: its folder, its size, and the elements whose text is a number."""

    folder: str
    elements: int
    characters: int
    numbers: Ints
    values: Floats


def divide_into_batches(collection: Collection) -> Iterator[IndexBatch]:
    """Yield batches of all documents: the parts of the collection, with small parts combined."""
    names = collection.documents["doc"]
    first = end = characters = 0
    for part in collection.manifest.parts:
        end += part.documents
        characters += part.characters
        if characters >= _BATCH:
            yield _build_batch(names, first, end)
            first, characters = end, 0
    if end > first:
        yield _build_batch(names, first, end)


def _build_batch(names: pl.Series, first: int, end: int) -> IndexBatch:
    return IndexBatch(first, end, f"documents {names[first]} to {names[end - 1]}")


def index_batch(collection: Collection, stem: str, folder: Path, batch: IndexBatch) -> IndexedBatch:
    """Index the elements of a batch, each on its shelf, in a new folder."""
    # a random name: if a worker dies and the batch is repeated, the second one writes to another folder
    batch_folder = folder / f"batch-{batch.first}.{secrets.token_hex(4)}"
    batch_folder.mkdir()
    shelf_texts: dict[Shelf, list[tuple[int, str]]] = {}
    numbers: list[tuple[int, float]] = []
    for element, size, text in cut_elements(collection, np.arange(batch.first, batch.end)):
        shelf_texts.setdefault(find_shelf(size), []).append((element, text))
        if len(text) < _MOST_DIGITS and _NUMBER.fullmatch(text.strip()):
            numbers.append((element, float(text)))
    words = WordStemmer(stem)
    for shelf, texts in shelf_texts.items():
        _write_segment(batch_folder / shelf.name, words, texts)
    return IndexedBatch(
        batch_folder.name,
        elements=sum(map(len, shelf_texts.values())),
        characters=int(collection.documents["characters"][batch.first : batch.end].cast(pl.Int64).sum()),
        numbers=np.array([element for element, _ in numbers], dtype=np.int64),
        values=np.array([value for _, value in numbers]),
    )


def _write_segment(folder: Path, words: WordStemmer, texts: Sequence[tuple[int, str]]) -> None:
    folder.mkdir()
    document = import_engine().Document
    writer = create_engine_index(folder, words).writer(
        _HEAP, 1
    )  # one thread, because there are several processes
    for element, text in texts:
        entry = document()
        entry.add_text(TEXT_FIELD, text)
        entry.add_unsigned(ELEMENT_FIELD, element)
        writer.add_document(entry)
    writer.commit()
    writer.wait_merging_threads()


def merge_batches(folder: Path, batches: Sequence[IndexedBatch], stem: str) -> None:
    """Merge the indexed batches into one index per shelf, and remove their folders."""
    words = WordStemmer(stem)
    for shelf in SHELVES:
        target = folder / shelf.name
        target.mkdir()
        create_engine_index(target, words)
        _merge_segments(target, [folder / indexed.folder / shelf.name for indexed in batches])
    for batch_folder in folder.glob("batch-*"):  # including those of workers that died
        shutil.rmtree(batch_folder)


def _merge_segments(target: Path, sources: Sequence[Path]) -> None:
    """Move the segments of small indexes into an empty one."""
    segment_list = _read_segment_list(target)
    files = [_SEGMENT_LIST]
    for source in filter(Path.is_dir, sources):
        meta = _read_segment_list(source)
        if meta["schema"] != segment_list["schema"]:
            raise CollectionError(f"{source}: not made by the same version of the search engine")
        segment_list["segments"] += meta["segments"]
        segment_list["opstamp"] = max(segment_list["opstamp"], meta["opstamp"])
        for file in source.iterdir():
            if file.name != _SEGMENT_LIST and not file.name.startswith("."):
                file.rename(target / file.name)
                files.append(file.name)
    write_file(target / _FILE_LIST, json.dumps(files).encode())
    write_file(target / _SEGMENT_LIST, json.dumps(segment_list).encode())
    expected_count = sum(segment["max_doc"] for segment in segment_list["segments"])
    actual_count = open_engine_index(target)[0].num_docs
    if actual_count != expected_count:
        raise CollectionError(
            f"{target}: wanted {expected_count:,} elements after merging, found {actual_count:,}"
        )


def _read_segment_list(folder: Path) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads((folder / _SEGMENT_LIST).read_text("utf-8"))
    return meta


_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)
_BLOCK = 1_000_000  # elements per block of documents


def separate_blocks(text: str, start: Ints, end: Ints, parent: Ints) -> tuple[str, Ints, Ints]:
    """Return a text with a line end where block elements start or end, and the elements' spans in it.

    ``parent`` is the number of each element's parent, -1 for the root.  An element without visible text
    gets an empty span.

    >>> rows = np.array([0, 0, 1]), np.array([3, 1, 3]), np.array([-1, 0, 0])  # <a><b>x</b><c>yz</c></a>
    >>> separated, starts, ends = separate_blocks("xyz", *rows)
    >>> [separated[start:end].split() for start, end in zip(starts, ends)]
    [['x', 'yz'], ['x'], ['yz']]
    """
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    visible_before = np.concatenate([[0], np.cumsum(~np.isin(codes, _SPACES))])
    visible = visible_before[end] - visible_before[start]
    has_parent = parent >= 0
    in_children = np.bincount(parent[has_parent], weights=visible[has_parent], minlength=len(parent))
    has_blocks = visible == in_children.astype(np.int64)
    is_block = np.where(has_parent, has_blocks[parent], True)
    breaks = np.unique(np.concatenate([start[is_block], end[is_block]]))
    borders = [0, *breaks.tolist(), len(text)]
    separated = "\n".join(text[first:last] for first, last in pairwise(borders))
    new_start = start + np.searchsorted(breaks, start, side="right")
    new_end = end + np.searchsorted(breaks, end, side="left")
    return separated, new_start, np.where(visible > 0, new_end, new_start)


def cut_elements(collection: Collection, numbers: Ints) -> Iterator[tuple[int, int, str]]:
    """Yield the elements of some documents: number in the collection, size, and text.

    ``numbers`` are the numbers of consecutive documents.  Elements without visible text are left out.
    """
    counts = collection.documents["elements"].cast(pl.Int64)
    before = int(counts[: int(numbers[0])].sum()) if len(numbers) else 0
    for block in _split_into_blocks(numbers, counts.gather(numbers).to_numpy()):
        forest = collection.forest(block)
        sizes = forest.end - forest.start
        for document, number in enumerate(block.tolist()):
            rows = slice(int(forest.first[document]), int(forest.first[document + 1]))
            parent = np.maximum(forest.parent[rows] - rows.start, -1)
            text, start, end = separate_blocks(
                collection.text(number), forest.start[rows], forest.end[rows], parent
            )
            first = before + rows.start
            for row in np.flatnonzero(end > start).tolist():
                yield first + row, int(sizes[rows.start + row]), text[start[row] : end[row]]
        before += len(forest)


def read_element_texts(collection: Collection, smallest: int, largest: int) -> Iterator[tuple[int, str]]:
    """Yield the number in the collection and the text of the elements whose size is in a range.

    Elements without visible text are left out.
    """
    for element, size, text in cut_elements(collection, np.arange(len(collection))):
        if smallest <= size < largest:
            yield element, text


def _split_into_blocks(numbers: Ints, counts: Ints) -> list[Ints]:
    """Divide documents into blocks of a limited number of elements."""
    block = (np.cumsum(counts) - counts) // _BLOCK
    return np.split(numbers, np.flatnonzero(np.diff(block)) + 1) if len(numbers) else []
