"""Runs as ranked lists: their order, and the levels of tied results."""

import polars as pl
import pytest

from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.evaluation import evaluate
from doxel.runs import RESULTS, Run
from evaluation.small_inputs import GOLD, scores


class TestOrder:
    RANKED = Run(
        "mine",
        RESULTS.from_rows(
            [
                {"topic": "1", "doc": "z", "start": 0, "end": 10, "rank": 3, "rsv": 0.9},
                {"topic": "1", "doc": "a", "start": 0, "end": 10, "rank": 1, "rsv": 0.1},
                {"topic": "1", "doc": "y", "start": 0, "end": 20, "rank": 2, "rsv": 0.1},
            ]
        ),
    )

    @pytest.mark.parametrize(
        ("order", "precisions"),
        [
            ("rank", [1, 10 / 30, 10 / 40]),  # a y z
            ("file", [0, 10 / 20, 10 / 40]),  # z a y
            ("score", [0, 10 / 20, 10 / 40]),  # z, then a and y in file order
        ],
    )
    def test_results_are_ordered_by_rank_by_file_or_by_score(self, order, precisions):
        result = evaluate(self.RANKED, GOLD, "char_prec@1,2,3", order=order)
        assert result.scores.filter(topic="1")["score"].to_list() == pytest.approx(precisions)

    def test_results_of_a_topic_form_one_list_wherever_they_are_in_the_file(self):
        run = [("2", "z", 0, 10), ("1", "a", 0, 10), ("2", "a", 0, 10), ("1", "z", 0, 10)]
        assert scores(evaluate(run, GOLD, "char_prec@1"))["2"] == 0
        assert scores(evaluate(run, GOLD, "char_prec@2"))["2"] == 0.5
        assert scores(evaluate(run, GOLD, "char_prec@1"))["1"] == 1


# four documents, the second and the fourth relevant: precision at recall 1/2 and 1 (section 3)
UNTIED = pytest.approx([1 / 2, 2 / 4])
ONE_LEVEL = pytest.approx([3 / 5, 3 / 5])
PAIRS = pytest.approx([1 / (1 + 1 / 2), 2 / (2 + 1 + 1 / 2)])


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ties")
    for name in "wxyz":
        (folder / f"{name}.xml").write_text("<d>text</d>")
    ingest([str(folder)], str(folder / "collection"))
    return read_collection(folder / "collection")


def score(collection, rank, rsv, *, ties="rsv", **how):
    columns = {"topic": ["1"] * 4, "doc": list("wxyz"), "rank": rank, "rsv": rsv}
    run = Run("mine", RESULTS.fit(pl.DataFrame(columns)))
    gold = [("1", "x", 0, 4), ("1", "z", 0, 4)]
    result = evaluate(run, gold, f"inex_eval_P(ties={ties})@0.5,1", collection=collection, **how)
    return result.scores["score"].to_list()


def test_equal_scores_are_ties(collection):
    assert score(collection, [1, 2, 3, 4], [5.0] * 4) == ONE_LEVEL
    assert score(collection, [1, 2, 3, 4], [5.0, 5.0, 4.0, 4.0]) == PAIRS
    assert score(collection, [1, 2, 3, 4], [5.0, 4.0, 3.0, 2.0]) == UNTIED


def test_equal_ranks_are_ties_if_scores_increase_or_are_missing(collection):
    assert score(collection, [1, 1, 2, 2], [1.0, 1.0, 2.0, 2.0]) == PAIRS
    assert score(collection, [1, 1, 2, 2], [None] * 4) == PAIRS
    assert score(collection, [1, 1, 2, 2], [9.0, 8.0, 7.0, 6.0]) == UNTIED


def test_only_equal_ranks_are_ties_with_ties_by_rank(collection):
    assert score(collection, [1, 1, 2, 2], [9.0, 8.0, 7.0, 6.0], ties="rank") == PAIRS
    assert score(collection, [1, 2, 3, 4], [5.0] * 4, ties="rank") == UNTIED


def test_file_order_has_no_ties(collection):
    for ties in ("rsv", "rank"):
        result = score(collection, [1] * 4, [5.0] * 4, ties=ties, order="file")
        assert result == UNTIED


def test_score_order_ignores_ranks(collection):
    assert score(collection, [1] * 4, [9.0, 8.0, 7.0, 6.0], order="score") == UNTIED
    assert score(collection, [1] * 4, [9.0, 8.0, 7.0, 6.0], ties="rank", order="score") == UNTIED
    assert score(collection, [1, 2, 3, 4], [5.0] * 4, order="score") == ONE_LEVEL


# ---- texts in several pieces

FIRST = "The keeper of the northern lighthouse wrote down every ship that passed."
SECOND = "In winter the harbour froze, and the ferry lay at its pier until the end of March."
THIRD = "Nobody remembers who planted the chestnut trees along the old road to the mill."
DOCUMENTS = {"log": f"{FIRST} {THIRD}", "town": f"{THIRD[:20]} ... {SECOND}"}
PIECES_GOLD = [
    ("1", "log", 0, len(FIRST)),
    ("1", "town", DOCUMENTS["town"].index(SECOND), DOCUMENTS["town"].index(SECOND) + len(SECOND)),
]


def score_texts(measures, *texts, gold=PIECES_GOLD):
    result = evaluate({"1": list(texts)}, gold, measures, collection=DOCUMENTS)
    return result, result.scores["score"].to_list()


def test_the_pieces_of_a_text_are_read_at_one_rank():
    joined = f"{FIRST}\n\n{SECOND}"
    result, values = score_texts("char_rec@1,2, char_prec@1,2", joined, THIRD)
    both = len(FIRST) + len(SECOND)
    assert values == pytest.approx([1, 1, 1, both / (both + len(THIRD))])
    assert result.alignments.select("rank", "doc", "how").rows() == [
        (1, "log", "fuzzy"),
        (1, "town", "fuzzy"),
        (2, "log", "exact"),
    ]
    assert "run: 1 text consists of several pieces" in result.warnings


def test_pieces_score_like_the_same_text_in_separate_results_but_for_the_rank():
    _, joined = score_texts("char_rec@1, char_rec, char_prec, char_f1", f"{FIRST} {SECOND}", THIRD)
    _, apart = score_texts("char_rec@2, char_rec, char_prec, char_f1", FIRST, SECOND, THIRD)
    assert joined == pytest.approx(apart)


def test_measures_of_whole_results_see_the_largest_piece():
    # SECOND is longer, so the document of the first result is the town
    _, values = score_texts("RR, P@1, R@1", f"{FIRST} {SECOND}", gold=[("1", "town", 0, 5)])
    assert values == [1, 1, 1]
    _, values = score_texts("RR, P@1, R@1", f"{FIRST} {SECOND}", THIRD, gold=[("1", "log", 0, 5)])
    assert values == pytest.approx([1 / 2, 0, 0])


def test_kept_results_list_the_pieces_under_one_rank():
    result = evaluate(
        {"1": [f"{FIRST} {SECOND}", THIRD]}, PIECES_GOLD, "char_rec", collection=DOCUMENTS, keep=1
    )
    assert result.results.select("rank", "doc").rows() == [(1, "log"), (1, "town")]


def test_a_limit_on_results_counts_ranks():
    _, values = score_texts("char_rec(limit=1), char_rec(limit=2)", THIRD, f"{FIRST} {SECOND}")
    assert values == [0, 1]
