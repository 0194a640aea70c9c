"""The documents of a pool, and the order in which they are judged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.commands import write_files
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError
from doxel.pooling import pool
from doxel.pooling.pool_candidates import collect_candidates
from doxel.pooling.pool_making import estimate_pools, list_depths
from doxel.runs import RESULTS, Run, read_run
from pooling.slow_pool import pooled

# The example of the handbook's article on pooling: three short runs, documents in order of first appearance.
HANDBOOK = {"R1": "1 2 3 4", "R2": "2 1 5 6", "R3": "7 2 8 1"}


def run(name, *docs, topic="1", **columns):
    """Return a run of one topic whose results are whole documents."""
    rows = [{"topic": topic, "doc": str(doc), "rank": rank} for rank, doc in enumerate(docs, 1)]
    for column, values in columns.items():
        rows = [{**row, column: value} for row, value in zip(rows, values, strict=True)]
    return Run(name, RESULTS.from_rows(rows))


def handbook_runs():
    return [run(name, *docs.split()) for name, docs in HANDBOOK.items()]


def docs_of(new_pool, topic="1"):
    return {document.doc for document in new_pool.of(topic)}


@pytest.mark.parametrize(("depth", "expected"), [(1, "127"), (2, "127"), (3, "123578"), (4, "12345678")])
def test_the_example_of_the_handbook_is_reproduced(depth, expected):
    assert docs_of(pool(handbook_runs(), depth=depth)) == set(expected)


def test_runs_take_turns_until_there_are_enough_documents():
    # rounds: 1 2 7 | 2 1 2 | 3 5 8 | 4 6 1
    new_pool = pool(handbook_runs(), documents=5, judging="pooled")
    assert [document.doc for document in new_pool.of("1")] == ["1", "2", "7", "3", "5"]
    assert pool(handbook_runs(), documents=100).documents.height == 8
    assert docs_of(pool(handbook_runs(), documents=7, depth=2)) == {"1", "2", "7"}


def test_the_order_of_runs_is_the_order_of_turns():
    assert docs_of(pool(handbook_runs()[::-1], documents=1)) == {"7"}


def test_depth_counts_documents_or_results():
    nested = [run("nested", "a", "a", "a", "b", "a", "c")]
    assert docs_of(pool(nested, depth=2)) == {"a", "b"}
    assert docs_of(pool(nested, depth=2, count="results")) == {"a"}
    assert docs_of(pool(nested, depth=4, count="results")) == {"a", "b"}
    # the run is read up to its third document: rank 5, a result of the first document, is pooled too
    assert pool(nested, depth=2).contributions["rank"].to_list() == [1, 2, 3, 4, 5]


rankings = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=9), min_size=1, max_size=4)


@settings(deadline=None)
@given(
    rankings,
    st.none() | st.integers(1, 9),
    st.none() | st.integers(1, 8),
    st.sampled_from(["documents", "results"]),
)
def test_pools_agree_with_the_slow_implementation(ranked, depth, documents, count):
    if depth is None and documents is None:
        return
    runs = [run(f"r{number}", *docs) for number, docs in enumerate(ranked)]
    new_pool = pool(runs, depth=depth, documents=documents, count=count, judging="pooled")
    expected = pooled(ranked, depth=depth, documents=documents, count=count)
    assert new_pool.documents["doc"].to_list() == expected
    assert new_pool.documents["order"].to_list() == list(range(1, len(expected) + 1))
    assert set(new_pool.contributions["doc"]) == set(expected)


@settings(deadline=None)
@given(rankings, st.integers(1, 9), st.integers(1, 8))
def test_a_deeper_pool_contains_every_shallower_one(ranked, depth, more):
    runs = [run(f"r{number}", *docs) for number, docs in enumerate(ranked)]
    assert set(pool(runs, depth=depth).documents["doc"]) <= set(
        pool(runs, depth=depth + more).documents["doc"]
    )


def test_a_run_is_read_in_the_selected_order():
    upside_down = run("r", *"abc", rsv=[0.1, 0.5, 0.9])
    assert docs_of(pool(upside_down, depth=1)) == {"a"}
    assert docs_of(pool(upside_down, depth=1, order="score")) == {"c"}


def test_selected_topics_are_pooled_and_the_others_are_noted():
    runs = [run("r", "a"), run("s", "b", topic="2"), run("t", "c", topic="3")]
    new_pool = pool(runs, depth=5, topics=["2", "1", "9"])
    assert new_pool.topics == ["2", "1"]
    assert new_pool.notes == (
        "1 topic has no document in the pool: 9",
        "1 topic of the runs was not selected and is not pooled: 3",
    )


# -- the order of judging --


def shuffled(runs, **options):
    return [document.doc for document in pool(runs, depth=20, **options).of("1")]


def test_the_order_of_judging_is_independent_of_ranks():
    docs = [f"d{number}" for number in range(20)]
    assert shuffled([run("r", *docs)]) == shuffled([run("r", *docs[::-1])])
    assert shuffled([run("r", *docs)]) not in (docs, docs[::-1])
    assert shuffled([run("r", *docs)]) != shuffled([run("r", *docs)], seed=1)


def test_documents_keep_their_order_when_runs_are_added():
    few, more = [f"d{number}" for number in range(20)], [f"e{number}" for number in range(20)]
    together = shuffled([run("r", *few), run("s", *more)])
    assert [doc for doc in together if doc in few] == shuffled([run("r", *few)])


def test_topics_are_shuffled_independently():
    docs = [f"d{number}" for number in range(20)]
    new_pool = pool([run("r", *docs), run("s", *docs, topic="2")], depth=20)
    assert [document.doc for document in new_pool.of("1")] != [document.doc for document in new_pool.of("2")]


# -- with a collection --


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    sources = {f"{name}.xml": f"<a><b>{name * 4}</b><b>xx<c>{name}</c></b></a>" for name in "pqr"}
    folder = write_files(tmp_path_factory.mktemp("pool"), {f"in/{k}": v for k, v in sources.items()})
    ingest(folder / "in", folder / "all.doxel")
    return read_collection(folder / "all.doxel")


def test_parts_are_elements_and_passages_in_the_order_of_the_text(collection):
    runs = [
        run("paths", "q", "q", path=["/a/b[2]", "/a[1]/b[1]"]),
        run("spans", "q", "q.xml", start=[0, 4], end=[4, 7]),
        run("whole", "q"),
    ]
    (document,) = pool(runs, depth=3, collection=collection).of("1")
    assert [(part.path, part.start, part.end) for part in document.parts] == [
        ("/a[1]", 0, 7),
        ("/a[1]/b[1]", 0, 4),
        (None, 0, 4),
        ("/a[1]/b[2]", 4, 7),
        (None, 4, 7),
    ]
    assert len(document.elements) == 3
    assert len(document.passages) == 2


def test_the_same_place_in_two_runs_is_one_part_with_two_contributions(collection):
    runs = [run("r", "q", path=["/a/b[2]"]), run("s", "q.xml", path=["/a[1]/b[2]"])]
    new_pool = pool(runs, depth=1, collection=collection)
    assert new_pool.parts.height == 1
    assert new_pool.contributions.select("run", "part", "rank").rows() == [("r", 0, 1), ("s", 0, 1)]


def test_an_element_of_a_best_in_context_run_is_pooled_as_an_element(collection):
    point = Run("r", run("r", "q", path=["/a/b[2]"]).results, task="best-in-context")
    (document,) = pool(point, depth=1, collection=collection).of("1")
    assert [(part.path, part.start, part.end) for part in document.parts] == [("/a[1]/b[2]", 4, 7)]


def test_results_that_are_not_found_are_counted(collection):
    odd = run("r", "nobody", "q", "p", path=[None, "/a[1]/z[1]", "/a[1]/b[1]"])
    new_pool = pool(odd, depth=1, collection=collection)
    # an unknown document does not count as a step
    assert docs_of(new_pool) == {"q"}
    assert new_pool.contributions.select("part", "rank").rows() == [(None, 2)]
    assert new_pool.notes == (
        "1 result is left out: unknown document",
        "1 result was not found in the document; only its document is pooled: unknown path",
    )


def test_a_pool_has_the_fingerprint_of_its_collection(collection):
    new_pool = pool(run("r", "q"), depth=1, collection=collection.folder)
    assert new_pool.fingerprint == collection.fingerprint


def test_documents_may_be_judged_in_the_order_of_the_collection(collection):
    new_pool = pool(run("r", "r", "p", "q"), depth=3, collection=collection, judging="collection")
    assert [document.doc for document in new_pool.of("1")] == list(collection)


def test_without_a_collection_elements_have_only_paths():
    (document,) = pool(run("r", "q", path=["/a/b"]), depth=1).of("1")
    assert [(part.path, part.start) for part in document.parts] == [("/a[1]/b[1]", None)]


# -- estimates --


def test_an_estimate_is_the_size_of_the_pool(collection):
    runs = [
        run("r", "p", "q", "q", path=["/a/b[1]", "/a/b[1]", "/a/b[2]"]),
        run("s", "r", "q", topic="2"),
        run("t", "p"),
    ]
    candidates = collect_candidates(runs, collection=collection)
    table = estimate_pools(candidates, [1, 2], collection=collection)
    for row in table.iter_rows(named=True):
        new_pool = pool(runs, depth=row["depth"], collection=collection)
        sizes = new_pool.documents.group_by("topic").len()["len"]
        assert row["documents"] == new_pool.documents.height
        assert (row["fewest"], row["mean"], row["most"]) == (sizes.min(), sizes.mean(), sizes.max())
        assert row["parts"] == new_pool.parts.height
        assert row["characters"] == 7 * new_pool.documents.height  # every text has 7 characters


def test_depths_are_round_numbers_and_the_depth():
    assert list_depths(1) == [1]
    assert list_depths(100) == [1, 2, 5, 10, 20, 50, 100]


# -- errors --


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "the size of a pool: wanted a depth, a number of documents, or both: --depth, --documents"),
        ({"depth": 0}, "a pool: depth: wanted a whole number from 1, found 0"),
        ({"documents": 1.5}, "documents: wanted a whole number or None, found 1.5"),
        ({"depth": 1, "count": "pages"}, "the unit of depth: wanted documents or results, found 'pages'"),
        ({"depth": 1, "judging": "mean"}, "the order of judging: wanted shuffled or pooled or collection"),
        ({"depth": 1, "judging": "collection"}, "wanted a collection"),
    ],
)
def test_invalid_options_are_rejected(options, message):
    with pytest.raises(InputError, match=message):
        pool(run("r", "a"), **options)


def test_runs_with_the_same_id_get_unique_names():
    new_pool = pool([run("r", "a"), run("r", "b")], depth=1)
    assert new_pool.runs == ["r:1", "r:2"]


def test_a_run_that_cannot_be_read_is_skipped_on_request(tmp_path):
    write_files(tmp_path, {"good.run": "1 Q0 a 1 0.5 good\n", "bad.run": "1 Q0\n"})
    with pytest.raises(InputError, match=r"bad\.run, line 1"):
        pool(tmp_path, depth=1)
    new_pool = pool(tmp_path, depth=1, on_error="skip")
    assert docs_of(new_pool) == {"a"}
    assert len(new_pool.notes) == 1
    assert "bad.run, line 1" in new_pool.notes[0]
    with pytest.raises(InputError, match="no run could be read"):
        pool(tmp_path / "bad.run", depth=1, on_error="skip")


REAL_RUNS = ("bert_inex_converted_1.run.gz", "bert1-grouped-by-document.run.gz")


@pytest.fixture(scope="module")
def real_runs(shared_data):
    return [read_run(shared_data / "inex-adhoc-2009-2010" / name) for name in REAL_RUNS]


def documents_by_topic(run):
    """Return the documents of each topic, one per result, sorted by rank in plain Python."""
    docs = {}
    rows = run.results.select("topic", "rank", "doc").rows()
    for topic, _, doc in sorted(rows, key=lambda row: row[1]):
        docs.setdefault(topic, []).append(doc)
    return docs


@pytest.mark.parametrize(
    ("depth", "documents", "count"), [(20, None, "documents"), (50, None, "results"), (None, 30, "documents")]
)
def test_pools_of_real_runs_agree_with_the_slow_implementation(real_runs, depth, documents, count):
    new_pool = pool(real_runs, depth=depth, documents=documents, count=count, judging="pooled")
    ranked = [documents_by_topic(run) for run in real_runs]
    assert len(new_pool.topics) == len(ranked[0])
    for topic in new_pool.topics:
        lists = [ranking.get(topic, []) for ranking in ranked]
        expected = pooled(lists, depth=depth, documents=documents, count=count)
        assert [document.doc for document in new_pool.of(topic)] == expected
