"""On whole documents that are relevant or not, the measures equal the classical ones."""

from __future__ import annotations

from random import Random

import pytest

from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.evaluation import evaluate

DOCUMENTS = [f"d{number}" for number in range(12)]
SIZE = 20
RELEVANT = 5  # per topic, so that each relevant document has a fifth of the recall points


def topics():
    """Yield 12 topics: relevant documents, and a random ranking that misses some of them."""
    random = Random(1971)
    for number in range(12):
        relevant = set(random.sample(DOCUMENTS, RELEVANT))
        ranking = random.sample(DOCUMENTS, random.randint(0, len(DOCUMENTS)))
        yield f"t{number}", relevant, ranking


def precision(relevant, ranking, k):
    return len(relevant & set(ranking[:k])) / k


def recall(relevant, ranking, k):
    return len(relevant & set(ranking[:k])) / len(relevant)


def average_precision(relevant, ranking):
    ranks = [rank for rank, document in enumerate(ranking, 1) if document in relevant]
    return sum(hits / rank for hits, rank in enumerate(ranks, 1)) / len(relevant)


@pytest.fixture(scope="module")
def score(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classical")
    (folder / "sources").mkdir()
    for name in DOCUMENTS:
        (folder / "sources" / f"{name}.xml").write_text(f"<d>{'x' * SIZE}</d>")
    ingest([str(folder / "sources")], str(folder / "collection"))
    collection = read_collection(folder / "collection")
    gold = [(topic, name, 0, SIZE) for topic, relevant, _ in topics() for name in sorted(relevant)]
    run = [
        {"topic": topic, "doc": name, "path": "/d[1]"} for topic, _, ranking in topics() for name in ranking
    ]

    def score(measure):
        result = evaluate(run, gold, measure, collection=collection)
        assert not result.rejected
        return dict(result.scores.select("topic", "score").iter_rows())

    return score


def classical(function, *arguments):
    return pytest.approx(
        {topic: function(relevant, ranking, *arguments) for topic, relevant, ranking in topics()}
    )


@pytest.mark.parametrize(
    "measure",
    [
        "MAgP",
        "MAgP(beta=0.25)",
        "inex_eval(method=rank, step=0.2)",
        "inex_eval(method=precall, step=0.2)",
        "MAep(task=thorough)",
        "MAep",
        "MAep(ideal_curve=step)",
        "fetch_MAep",
        "EPRUM",
        "EPRUM(expectation=lengths)",
        "EPRUM(task=thorough)",
        "EPRUM(model='parent(.5)+child(.2)')",  # documents have no relatives
        "PRUM",
        "PRUM(task=thorough)",
    ],
)
def test_measures_equal_average_precision(score, measure):
    assert score(measure) == classical(average_precision)


@pytest.mark.parametrize("k", [1, 3, 5, 20])
@pytest.mark.parametrize("measure", ["gP@{}", "qP@{}"])
def test_measures_equal_precision(score, measure, k):
    assert score(measure.format(k)) == classical(precision, k)


@pytest.mark.parametrize("k", [1, 3, 5, 20])
@pytest.mark.parametrize("measure", ["gR@{}", "qR@{}", "gr@{}", "char_rec@{}", "HiXEval_R@{}", "GR@{}"])
def test_measures_equal_recall(score, measure, k):
    assert score(measure.format(k)) == classical(recall, k)


def test_measures_equal_precision_over_the_whole_list(score):
    whole = pytest.approx(
        {topic: precision(relevant, ranking, len(ranking) or 1) for topic, relevant, ranking in topics()}
    )
    assert score("art_prec") == whole
    assert score("char_prec") == whole


@pytest.mark.parametrize("r", range(1, RELEVANT + 1))
def test_precall_without_ties_is_precision_at_the_rth_relevant_document(score, r):
    def at_relevant(relevant, ranking):
        ranks = [rank for rank, document in enumerate(ranking, 1) if document in relevant]
        return r / ranks[r - 1] if len(ranks) >= r else 0

    for method in ("precall", "rank"):
        assert score(f"inex_eval_P(method={method})@{r / RELEVANT}") == classical(at_relevant)


def test_interpolated_precision_follows_the_textbook(score):
    def mean_of_points(relevant, ranking):
        def best(level):
            reached = [k for k in range(1, len(ranking) + 1) if recall(relevant, ranking, k) >= level - 1e-9]
            return max((precision(relevant, ranking, k) for k in reached), default=0)

        return sum(best(point / 100) for point in range(101)) / 101

    assert score("MAiP") == classical(mean_of_points)
