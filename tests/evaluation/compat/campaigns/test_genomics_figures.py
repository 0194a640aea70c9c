"""The figures of TREC Genomics, worked out by hand on a few passages, and against a slow second program."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxel
from doxel.errors import InputError
from doxel.evaluation.compat.campaigns.genomics_figures import GoldPassage, score_topic

GOLD = [GoldPassage("a", 0, 10, ("x", "y")), GoldPassage("a", 20, 30, ("y",)), GoldPassage("b", 0, 4, ("z",))]


def test_each_figure_by_hand():
    results = [("n", 0, 5), ("a", 5, 25), ("a", 22, 30), ("b", 0, 8)]
    scores = score_topic(results, GOLD)
    # documents n, a, b: (1/2 + 2/3) / 2
    assert scores["genomics_document"] == pytest.approx(7 / 12, rel=1e-15)
    # gains 5, 8, 4 of 25, 33, 41 characters; all three gold passages are met
    assert scores["genomics_passage"] == pytest.approx((5 / 25 + 13 / 33 + 17 / 41) / 3, rel=1e-15)
    # n takes rank 1; a 5-25 shows x and y at rank 2; a 22-30 shows nothing new; b shows z at rank 3
    assert scores["genomics_aspect"] == pytest.approx((2 * 1 / 2 + 2 / 3) / 3, rel=1e-15)


def test_a_gold_passage_that_is_only_met_second_stays_missed():
    # a 5-25 gains from the first passage it overlaps; the other one divides as never found
    assert score_topic([("a", 5, 25)], GOLD)["genomics_passage"] == pytest.approx((5 / 20) / 3, rel=1e-15)


def count_slowly(results, gold):
    """Return PASSAGE2 character by character, as a fraction."""
    relevant = {(passage.doc, at) for passage in gold for at in range(passage.start, passage.end)}
    unseen, hits, read, total = set(relevant), 0, 0, Fraction(0)
    for doc, start, end in results:
        for at in range(start, end):
            if (doc, at) in unseen:
                unseen.remove((doc, at))
                hits, read = hits + 1, read + 1
                total += Fraction(hits, read)
            elif (doc, at) not in relevant:
                read += 1
    return total / len(relevant)


spans = st.tuples(st.sampled_from("ab"), st.integers(0, 12), st.integers(0, 8)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)


@given(results=st.lists(spans, max_size=5), gold=st.lists(spans, min_size=1, max_size=4))
def test_characters_agree_with_a_slow_count(results, gold):
    passages = [GoldPassage(doc, start, end + 1, ("x",)) for doc, start, end in gold]
    score = score_topic(results, passages)["genomics_passage2"]
    assert score == pytest.approx(float(count_slowly(results, passages)), rel=1e-12)


def test_results_are_read_by_rank_then_document_offset_and_length(tmp_path):
    (tmp_path / "gold.tsv").write_text("7\t10\t0\t10\tA\n7\t9\t0\t10\tB\n")
    (tmp_path / "a.run").write_text("7 9 1 0.5 0 10 t\n7 10 1 0.9 50 5 t\n8 1 1 1 0 5 t\n")
    result = doxel.evaluate(tmp_path / "a.run", tmp_path / "gold.tsv", ["genomics2007", "char_rec@2"])
    scores = dict(result.means.select("measure", "score").iter_rows())
    assert list(scores)[-1] == "char_rec@2"
    assert scores["genomics_passage"] == pytest.approx((10 / 15) / 2)  # '10' comes before '9'
    assert scores["char_rec@2"] == 0.5


def test_results_of_one_rank_are_read_by_document_whatever_their_scores(tmp_path):
    (tmp_path / "gold.txt").write_text("7\tb\t0\t10\tx\n")
    (tmp_path / "run.txt").write_text("7 b 1 0.2 0 10 t\n7 a 1 0.1 0 10 t\n")
    result = doxel.evaluate(tmp_path / "run.txt", tmp_path / "gold.txt", "genomics_document")
    assert result.means["score"].to_list() == [0.5]  # a, then b


def test_a_topic_that_is_no_number_is_an_error(tmp_path):
    (tmp_path / "gold.tsv").write_text("7\t10\t0\t10\tA\n")
    with pytest.raises(InputError, match="a topic of Genomics: wanted a whole number, found 'q'"):
        doxel.evaluate([("q", "10", 0, 5)], tmp_path / "gold.tsv", "genomics2007")


def test_a_result_of_a_whole_library_needs_no_memory_for_it():
    scores = score_topic([("a", 0, 10**17)], [GoldPassage("a", 5, 10, ("x",))])
    assert scores["genomics_passage2"] == pytest.approx(sum(n / (5 + n) for n in range(1, 6)) / 5)
