"""The runs of the bundled campaign: their formats, tasks and properties."""

from collections import Counter
from itertools import pairwise

import polars as pl
import pytest

from doxel.assessments import read_assessments
from doxel.campaign import write_demo
from doxel.documents import read_collection
from doxel.evaluation import evaluate
from doxel.runs import read_run
from doxel.runs.result_spans import resolve_run

# file -> format, declared task, most results per topic
RUNS = {
    "article-start.xml": ("inex-xml", "best-in-context", 30),
    "bm25-articles.run": ("trec", None, 40),
    "bm25-context.xml": ("inex-xml", "relevant-in-context", 100),
    "bm25-elements.xml": ("inex-xml", "thorough", 100),
    "bm25-entry.run": ("bep", None, 30),
    "bm25-focused.xml": ("inex-xml", "focused", 60),
    "bm25-sections.xml": ("inex-xml", "thorough", 100),
    "focused-invalid.xml": ("inex-xml", "focused", 31),
    "lm-focused.run": ("fol", None, 60),
    "tfidf-leaves.run": ("paths", None, 100),
    "windows-disjoint.run": ("fol", None, 60),
    "windows-overlapping.jsonl": ("jsonl", None, 60),
}
WITHOUT_OVERLAP = (
    *("bm25-articles.run", "bm25-context.xml", "bm25-focused.xml"),
    *("lm-focused.run", "tfidf-leaves.run", "windows-disjoint.run"),
)
WITH_OVERLAP = ("bm25-elements.xml", "bm25-sections.xml", "focused-invalid.xml", "windows-overlapping.jsonl")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return write_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def resolved(demo):
    collection = read_collection(demo.collection)
    return {path.name: resolve_run(read_run(path), collection) for path in demo.runs}


def overlaps(results):
    """Count the pairs of neighbouring results that share text, one pair after another."""
    count = 0
    for _, group in results.group_by("topic", "doc"):
        spans = sorted(group.filter(pl.col("start").is_not_null()).select("start", "end").rows())
        count += sum(second[0] < first[1] for first, second in pairwise(spans))
    return count


def test_the_demo_has_all_its_runs(demo):
    assert [path.name for path in demo.runs] == sorted(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_read_in_its_format(demo, name):
    run = read_run(demo.collection.parent / "runs" / name)
    most = run.results.group_by("topic").len()["len"].max()
    assert (run.format, run.task, most) == RUNS[name]
    assert run.id == name.split(".")[0]
    assert run.notes == ()
    assert run.topics == [str(number) for number in range(1, 19)]


@pytest.mark.parametrize("name", sorted(set(RUNS) - {"focused-invalid.xml"}))
def test_every_result_is_found_in_the_handbook(resolved, name):
    assert resolved[name]["problem"].null_count() == resolved[name].height


def test_the_invalid_run_has_one_unknown_path_per_topic(resolved):
    problems = resolved["focused-invalid.xml"].filter(pl.col("problem").is_not_null())
    assert problems["problem"].to_list() == ["unknown path"] * 18
    assert problems["topic"].n_unique() == 18


@pytest.mark.parametrize("name", WITHOUT_OVERLAP)
def test_runs_without_overlap_return_no_text_twice(resolved, name):
    assert overlaps(resolved[name]) == 0


@pytest.mark.parametrize("name", WITH_OVERLAP)
def test_runs_with_overlap_return_text_more_than_once(resolved, name):
    assert overlaps(resolved[name]) > 100


def test_articles_are_grouped_in_the_run_in_context(resolved):
    results = resolved["bm25-context.xml"].select("topic", "doc").rows()
    blocks = [first for first, second in pairwise([*results, (None, None)]) if first != second]
    assert len(blocks) == len(set(blocks)) > 300


@pytest.mark.parametrize("name", ["bm25-entry.run", "article-start.xml"])
def test_an_article_is_entered_once(resolved, name):
    results = resolved[name]
    assert not results.select("topic", "doc").is_duplicated().any()
    assert (results["start"] == results["end"]).all()


def test_sliding_windows_have_two_hundred_words_and_share_half_of_them(demo):
    collection = read_collection(demo.collection)
    text = collection["pooling"].text
    run = read_run(demo.collection.parent / "runs" / "windows-overlapping.jsonl")
    spans = sorted(set(run.results.filter(doc="pooling").select("start", "end").rows()))
    words = [len(text[start:end].split()) for start, end in spans]
    assert set(words[:-1]) == {200}
    assert words[-1] <= 200
    first, second = spans[0], next(span for span in spans if span[0] > spans[0][0])
    assert len(text[second[0] : first[1]].split()) == 100


def first_documents(run, topic, count):
    return list(dict.fromkeys(run.results.filter(topic=topic)["doc"]))[:count]


def test_documents_that_many_runs_rank_high_were_judged(demo):
    """The pool described in tools/demo_data/README.md: first ten documents of at least four valid runs."""
    runs = [read_run(path) for path in demo.runs if path.name != "focused-invalid.xml"]
    unjudged = 0
    assessments = read_assessments(demo.assessments["qrels"])
    for topic in assessments.topics:
        judged = set(assessments.judged.filter(topic=topic)["doc"])
        counts = Counter(doc for run in runs for doc in first_documents(run, topic, 10))
        assert [doc for doc, count in counts.items() if count >= 4 and doc not in judged] == []
        unjudged += len(set(counts) - judged)
    assert unjudged > 10  # some documents stay unjudged, as in every pool


def test_systems_rank_in_the_expected_order(demo):
    runs = [path for path in demo.runs if path.name != "focused-invalid.xml"]
    result = evaluate(runs, demo.assessments["qrels"], ["MAiP"], collection=demo.collection, task="thorough")
    score = dict(result.means.select("run", "score").iter_rows())
    # Elements of all sizes beat sections, sections beat fixed windows, and these beat whole articles.
    assert score["bm25-focused"] > score["bm25-sections"] > score["windows-overlapping"]
    assert score["windows-overlapping"] > score["bm25-articles"] > 0


def test_looking_for_an_entry_point_beats_starting_at_the_top(demo):
    runs = [path for path in demo.runs if path.name in {"bm25-entry.run", "article-start.xml"}]
    measure = 'MAgP(score="bep", n=500)'
    result = evaluate(runs, demo.assessments["qrels"], [measure], collection=demo.collection)
    score = dict(result.means.select("run", "score").iter_rows())
    assert score["bm25-entry"] > 5 * score["article-start"] > 0


def test_measures_that_forbid_overlap_reject_the_invalid_run(demo):
    invalid = next(path for path in demo.runs if path.name == "focused-invalid.xml")
    result = evaluate([invalid], demo.assessments["qrels"], ["MAiP"], collection=demo.collection)
    assert [(rejection.run, rejection.measure) for rejection in result.rejected] == [
        ("focused-invalid", "MAiP")
    ]
    assert "overlap" in result.rejected[0].reason
