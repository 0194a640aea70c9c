"""Search: how fast elements are indexed, next to tantivy alone on the same texts; how long queries take."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.lines import Gate, Line
from benchmarks.measuring import Cost, best_of, here, quiet
from benchmarks.samples import Samples
from doxel.documents import Collection, read_collection
from doxel.documents.ingestion import ingest
from doxel.search import SearchIndex, SearchOptions, open_index
from doxel.search.index_building import build_index, read_element_texts
from doxel.search.search_engine import TEXT_FIELD, WordStemmer, create_engine_index, import_engine
from doxel.search.topic_search import search_query
from doxel.topics.nexi import Keywords, Query, parse

__all__ = ["measure"]

_QUERY = Gate("<", 100.0)
_QUERIES = Path(__file__).resolve().parents[1] / "tests" / "search" / "plos-queries.jsonl"
_HEAP = 64_000_000


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the figures of indexing and of queries: over real articles, or generated ones if quick."""
    folder = samples.scratch() / "collection"
    if samples.scale.real:
        ingest([str(samples.plos())], str(folder), jobs=1)
        queries = [parse(json.loads(line)["query"]) for line in _QUERIES.read_text("utf-8").splitlines()]
    else:
        shutil.copytree(samples.collection(), folder)
        queries = []
    collection = read_collection(folder)
    yield _indexing(samples, collection)
    index = open_index(collection)
    yield from _answering(samples, "with structure", index, queries)
    yield from _answering(samples, "titles", index, _titles(collection))


def _indexing(samples: Samples, collection: Collection) -> Line:
    texts = [text for _, text in read_element_texts(collection, 1, 2**62)]
    megabytes = sum(map(len, texts)) / 1e6
    bare = collection.folder.with_name("bare")

    def alone() -> None:
        shutil.rmtree(bare, ignore_errors=True)
        bare.mkdir()
        writer = create_engine_index(bare, WordStemmer("english")).writer(_HEAP, 1)
        for text in texts:
            entry = import_engine().Document()
            entry.add_text(TEXT_FIELD, text)
            writer.add_document(entry)
        writer.commit()
        writer.wait_merging_threads()

    def doxel(jobs: int) -> Cost:
        for folder in collection.folder.glob("search-*"):
            shutil.rmtree(folder)
        return here(lambda: build_index(collection, "english", jobs=jobs))

    best = best_of(
        min(2, samples.scale.repetitions),
        {"alone": lambda: here(alone), "doxel": lambda: doxel(1), "two": lambda: doxel(2)},
    )
    rates = {name: f"{megabytes / cost.wall:.1f} MB/s" for name, cost in best.items()}
    remark = (
        f"{len(texts):,} elements, {megabytes:.0f} MB of their texts: doxel {rates['doxel']}, "
        f"with two processes {rates['two']}, tantivy alone in one thread {rates['alone']}"
    )
    ratio = best["alone"].wall / best["doxel"].wall
    return Line("search: indexing, speed of tantivy's own", ratio, "x", None, remark, quiet(best))


def _answering(
    samples: Samples, name: str, index: SearchIndex, queries: Sequence[Query | Keywords]
) -> Iterator[Line]:
    """Yield the time of the slowest query, each at its best."""
    if not queries:
        return
    best = np.full(len(queries), np.inf)
    for _ in range(samples.scale.repetitions):
        for number, query in enumerate(queries):
            began = time.perf_counter()
            search_query(index, query, SearchOptions(task="focused"))
            best[number] = min(best[number], 1000 * (time.perf_counter() - began))
    size = f"{len(queries)} queries over {len(index.forest):,} elements"
    remark = f"{size}; half of them take {np.median(best):.0f} ms at most"
    yield Line(f"search: {name}, the slowest query", float(best.max()), "ms", _QUERY, remark)


def _titles(collection: Collection) -> list[Query | Keywords]:
    """Return queries of four words from the documents: two frequent ones and two rarer ones each."""
    counts = Counter(
        word
        for number in range(min(50, len(collection)))
        for word in collection.text(number).lower().split()
        if word.isascii() and word.isalpha() and len(word) > 3
    )
    words = [word for word, _ in counts.most_common(420)]
    return [
        parse(" ".join([*words[two : two + 2], *words[200 + two : 202 + two]])) for two in range(0, 40, 2)
    ]
