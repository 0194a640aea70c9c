"""The index is built once, beside the collection's parts, and again if the collection changes."""

import json
import math
from collections import Counter

import numpy as np
import pytest

from doxel.documents import read_collection
from doxel.errors import CollectionError, InputError
from doxel.search import SearchOptions, open_index, search
from doxel.search.index_building import read_element_texts
from doxel.search.search_index import verify_indexes
from doxel.topics import Topic, Topics

TOPICS = Topics.of([Topic("1", title="duck pond"), Topic("2", title='"old ponds" +fish -pike')])


def folders(collection):
    return sorted(path.name for path in collection.iterdir() if "search" in path.name and path.is_dir())


def test_the_index_is_built_once_and_the_parts_do_not_change(fresh):
    parts = {path: path.read_bytes() for path in fresh.glob("part-*/*")}
    first = open_index(fresh)
    (name,) = folders(fresh)
    modified = (fresh / name / "index.json").stat().st_mtime_ns
    second = open_index(fresh)
    assert "has no search index yet; built a new one in" in first.notes[0]
    assert second.notes == ()
    assert (fresh / name / "index.json").stat().st_mtime_ns == modified
    assert {path: path.read_bytes() for path in fresh.glob("part-*/*")} == parts


def test_an_index_is_replaced_after_documents_are_added(fresh, make):
    open_index(fresh)
    before = folders(fresh)
    make({"trees.xml": "<book><sec><p>An oak stands beside the pond and drops its leaves.</p></sec></book>"})
    index = open_index(fresh)
    assert "is from an earlier state of the collection; built a new one" in index.notes[0]
    assert len(folders(fresh)) == 1
    assert folders(fresh) != before
    assert len(index.hits(("oak",))[0]) == 3  # the book, its section, the paragraph


def test_the_order_of_documents_is_part_of_the_state(make):
    first = make({"a.xml": "<b><p>duck</p></b>", "b.xml": "<b><p>pond</p></b>"}, "first")
    second = make({"b.xml": "<b><p>pond</p></b>"}, "second")
    make({"a.xml": "<b><p>duck</p></b>"}, "second")
    assert read_collection(first).fingerprint == read_collection(second).fingerprint
    open_index(first)
    open_index(second)
    assert folders(first) != folders(second)


def test_indexes_with_different_stemming_exist_side_by_side(fresh):
    open_index(fresh)
    plain = open_index(fresh, stem="none")
    assert "has another stemming (english, not none); built a new one" in plain.notes[0]
    assert len(folders(fresh)) == 2
    assert len(plain.hits(("ducks",))[0]) == 3  # the heading, its section, the book, and nothing with "duck"
    assert len(open_index(fresh).hits(("duck",))[0]) > 3


@pytest.mark.parametrize("damage", ["index.json", "numbers.parquet", "shelf-2/meta.json"])
def test_a_damaged_index_is_built_again(fresh, damage):
    open_index(fresh)
    (name,) = folders(fresh)
    (fresh / name / damage).write_text("{")
    index = open_index(fresh)
    assert "its search index cannot be read" in index.notes[0]
    assert len(index.hits(("duck",))[0]) > 0
    assert open_index(fresh).notes == ()


def test_every_file_of_an_index_is_compared_with_its_checksum(fresh):
    """The engine maps the files into memory and checks nothing."""
    expected = open_index(fresh).hits(("duck",))
    (name,) = folders(fresh)
    files = sorted(path for path in (fresh / name).glob("shelf-*/*") if path.suffix != ".lock")
    for path in files:
        intact = path.read_bytes()
        path.write_bytes(intact[:-1] + bytes([intact[-1] ^ 1]))
        (problem,) = verify_indexes(fresh)
        assert f"{path.name} changed since it was written: wanted the CRC-32 " in problem
        if path != files[-1]:
            path.write_bytes(intact)
    index = open_index(fresh)
    assert f"{files[-1].name} changed since it was written" in index.notes[0]
    assert [values.tolist() for values in index.hits(("duck",))] == [values.tolist() for values in expected]


def test_a_changed_summary_of_an_index_is_detected(fresh):
    open_index(fresh)
    (name,) = folders(fresh)
    path = fresh / name / "index.json"
    path.write_text(path.read_text().replace('"stem": "english"', '"stem": "englisH"'))
    assert "index.json changed since it was written" in verify_indexes(fresh)[0]
    assert "index.json changed since it was written" in open_index(fresh).notes[0]


def test_an_index_without_checksums_is_opened(fresh):
    open_index(fresh)
    (name,) = folders(fresh)
    path = fresh / name / "index.json"
    summary = json.loads(path.read_text())
    del summary["files"], summary["checksum"]
    path.write_text(json.dumps({**summary, "format": 1}))
    (note,) = open_index(fresh).notes
    assert note == f"{fresh}: its search index carries no checksums, because doxel 1.x built it"
    assert verify_indexes(fresh) == []


def test_an_index_of_another_format_is_built_again(fresh):
    open_index(fresh)
    (name,) = folders(fresh)
    summary = json.loads((fresh / name / "index.json").read_text())
    (fresh / name / "index.json").write_text(json.dumps({**summary, "format": 99}))
    assert "wanted format 2, found 99" in open_index(fresh).notes[0]


def test_the_index_is_not_built_if_that_is_not_allowed(fresh, make):
    with pytest.raises(CollectionError, match="has no search index yet, and building one is not allowed"):
        open_index(fresh, may_build=False)
    assert folders(fresh) == []
    open_index(fresh)
    make({"more.xml": "<book><p>more</p></book>"})
    with pytest.raises(CollectionError, match="earlier state of the collection, and building one is not"):
        open_index(fresh, may_build=False)


def test_remains_of_an_interrupted_build_are_removed(fresh):
    (fresh / ".search-english-0000.abc").mkdir()
    open_index(fresh)
    assert [name for name in folders(fresh) if name.startswith(".")] == []


def test_an_interrupted_build_leaves_no_files(fresh):
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_index(fresh, progress=stop)
    assert folders(fresh) == []


def test_an_unknown_language_is_rejected(fresh):
    with pytest.raises(InputError, match=r"wanted one of none, arabic, .* found 'klingon'"):
        open_index(fresh, stem="klingon")


def test_the_number_of_processes_does_not_matter(make):
    runs = []
    for jobs in (1, 2):
        files = {f"{n}.xml": f"<b><p>duck {'pond ' * n} fish</p><p>old ponds</p></b>" for n in range(9)}
        index = open_index(make(files, f"jobs-{jobs}"), jobs=jobs)
        runs.append(search(index, TOPICS, SearchOptions(smallest=1)).run)
    assert runs[0].results.equals(runs[1].results)


def test_the_same_search_gives_the_same_results(zoo):
    first, second = (search(zoo, TOPICS, SearchOptions(task="thorough", smallest=1)).run for _ in range(2))
    assert first.results.equals(second.results)
    assert first.results.height > 10


def bm25(words, lengths, weight, k1=1.2, b=0.75):
    """Compute BM25 for the texts of one shelf, with a given weight of the word."""
    mean = np.mean(lengths)
    return [
        weight * tf * (k1 + 1) / (tf + k1 * (1 - b + b * n / mean))
        for tf, n in zip(words, lengths, strict=True)
    ]


def test_scores_are_bm25_within_a_shelf(zoo):
    texts = {number: zoo.words.of(text) for number, text in read_element_texts(zoo.collection, 50, 400)}
    counts = {number: Counter(words)["duck"] for number, words in texts.items()}
    counting = {number: zoo.words.of(text) for number, text in read_element_texts(zoo.collection, 50, 2**62)}
    matches = sum("duck" in words for words in counting.values())
    weight = math.log(1 + (len(counting) - matches + 0.5) / (matches + 0.5))
    expected = dict(
        zip(texts, bm25(counts.values(), [len(words) for words in texts.values()], weight), strict=True)
    )
    rows, scores = zoo.hits(("duck",))
    actual = {int(row): score for row, score in zip(rows, scores, strict=True) if int(row) in texts}
    assert set(actual) == {number for number, count in counts.items() if count}
    for number, score in actual.items():
        # the engine stores lengths above 40 words only approximately
        tolerance = 1e-5 if len(texts[number]) <= 40 else 0.05
        assert score == pytest.approx(expected[number], rel=tolerance)
