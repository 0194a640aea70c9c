"""Chunkings are compared against gold, with figures computed by hand."""

import numpy as np
import pytest

from doxel.chunking import Chunker, compare_chunkings
from doxel.errors import InputError
from doxel.reports.picture_data import build_chunk_picture

TEXT = "x" * 100
GOLD = [("1", "a", 10, 30), ("1", "a", 45, 55), ("2", "a", 0, 50), ("3", "b", 0, 10)]
TEXTS = {"a": TEXT, "b": "y" * 30}


@pytest.fixture(scope="module")
def comparison():
    return compare_chunkings(TEXTS, GOLD, ["characters:50", "characters:20"], cutoff=1)


def row(comparison, name):
    return comparison.table.filter(chunking=name).row(0, named=True)


def test_sizes_of_chunks_are_counted(comparison):
    # a is cut into [0,50) [50,100), b stays whole
    fifty = row(comparison, "characters:50")
    assert (fifty["chunks"], fifty["shortest"], fifty["median"], fifty["longest"]) == (3, 30, 50, 50)
    assert fifty["mean"] == pytest.approx(130 / 3)
    assert row(comparison, "characters:20")["chunks"] == 7


def test_split_is_the_share_of_gold_spans_that_no_chunk_contains(comparison):
    assert row(comparison, "characters:50")["split"] == 1 / 4  # [45,55)
    # chunks of 20 contain [45,55) and the span of b, but neither [10,30) nor [0,50)
    assert row(comparison, "characters:20")["split"] == 2 / 4


def test_overlap_keeps_spans_whole():
    table = compare_chunkings(TEXTS, GOLD, ["characters:50:25"]).table
    assert table["split"].item() == 0  # [25,75) contains [45,55)


def test_the_scores_of_reference_choices_are_those_computed_by_hand(comparison):
    fifty = row(comparison, "characters:50")
    # topic 1: both halves of a contain gold, 30 of 100; topic 2: [0,50) is gold; topic 3: 10 of 30
    assert fifty["omega_prec"] == pytest.approx((30 / 100 + 1 + 1 / 3) / 3)
    assert fifty["omega_rec"] == 1
    assert fifty["greedy_rec@1"] == pytest.approx((25 / 30 + 1 + 1) / 3)
    assert fifty["greedy_prec@1"] == pytest.approx((25 / 50 + 1 + 1 / 3) / 3)


def test_cost_is_the_number_of_characters_until_the_recall_is_reached(comparison):
    # recall .9: topic 1 needs both halves of a, 100; topic 2 one, 50; topic 3 the whole of b, 30
    fifty = row(comparison, "characters:50")
    assert fifty["cost"] == pytest.approx((100 + 50 + 30) / 3)
    assert fifty["short"] == 0
    lower = compare_chunkings(TEXTS, GOLD, ["characters:50"], recall=0.8).table
    assert lower["cost"].item() == pytest.approx((50 + 50 + 30) / 3)


def test_a_chunking_that_omits_text_has_topics_that_fall_short():
    chunks = {"half": [("a", 0, 50), ("b", 0, 30)]}
    table = compare_chunkings(TEXTS, GOLD, chunks).table
    assert table["omega_rec"].item() == pytest.approx((25 / 30 + 1 + 1) / 3)
    assert table["short"].item() == 1
    assert table["cost"].item() == pytest.approx((50 + 30) / 2)


def test_the_curve_has_one_point_per_chunk(comparison):
    points = comparison.curve.filter(chunking="characters:50")
    assert points["k"].to_list() == list(range(1, 21))
    assert points["characters"][0] == pytest.approx((50 + 50 + 30) / 3)
    assert points["rec"].is_sorted()
    # constant once no chunk adds relevant text: both halves of a, one of them, b
    assert points["characters"][-1] == (100 + 50 + 30) / 3
    picture = build_chunk_picture(comparison)
    assert [line.name for line in picture.lines] == ["characters:50", "characters:20"]
    assert picture.lines[0].y.tolist() == points["rec"].to_list()
    assert build_chunk_picture(comparison, "iou").lines[1].y[0] == pytest.approx(
        comparison.curve.filter(chunking="characters:20")["iou"][0]
    )


def split_in_halves(text):
    return [text[: len(text) // 2], text[len(text) // 2 :]]


def test_functions_names_splitters_and_chunks_are_compared_side_by_side():
    chunkings = {"halves": split_in_halves, "fifty": "characters:50", "by hand": [("a", 0, 50), ("b", 0, 30)]}
    table = compare_chunkings(TEXTS, GOLD, chunkings).table
    assert table.select("chunking", "chunks").rows() == [("halves", 4), ("fifty", 3), ("by hand", 2)]
    named = compare_chunkings(TEXTS, GOLD, [split_in_halves, "characters:50"]).table
    assert named["chunking"].to_list() == ["split_in_halves", "characters:50"]
    assert named.drop("chunking").rows() == table.head(2).drop("chunking").rows()
    for single in (split_in_halves, "characters:50", Chunker("mine", split_in_halves)):
        assert compare_chunkings(TEXTS, GOLD, single).table.height == 1


def test_notes_report_chunks_that_were_not_found():
    notes = compare_chunkings(TEXTS, GOLD, {"mine": lambda text: [text[:50], "1234567890"]}).notes
    (note,) = notes
    assert note.startswith("mine: 2 of 4 chunks not found in the documents and left out; ")
    assert note.endswith("the first: document 'a', chunk 2, '1234567890'")


def test_only_recall_without_overlap_is_named_a_maximum():
    comparison = compare_chunkings(TEXTS, GOLD, ["characters:50", "characters:50:25"], cutoff=1)
    assert comparison.table["disjoint"].to_list() == [True, False]
    assert comparison.list_maxima("characters:50") == ["omega_rec", "greedy_rec@1"]
    assert comparison.list_maxima("characters:50:25") == ["omega_rec"]
    assert "no maximum" in build_chunk_picture(comparison).note
    disjoint = compare_chunkings(TEXTS, GOLD, ["characters:50"])
    assert "the maximum of k chunks" in build_chunk_picture(disjoint).note
    assert "no maximum" in build_chunk_picture(disjoint, "prec").note


def test_chunks_inside_another_chunk_and_of_other_documents_are_distinguished():
    gold = [("1", "a", 0, 10)]
    inside = {"x": [("a", 0, 50), ("a", 10, 20), ("a", 60, 70), ("b", 0, 30)]}
    assert compare_chunkings(TEXTS, gold, inside).table["disjoint"].to_list() == [False]
    later = {
        "x": [("a", 0, 50), ("a", 5, 8), ("a", 50, 70)],
        "y": [("a", 0, 90), ("b", 0, 30), ("b", 30, 30)],
    }
    assert compare_chunkings(TEXTS, gold, later).table["disjoint"].to_list() == [False, True]


def test_chunks_without_relevant_text_are_not_chosen():
    comparison = compare_chunkings(
        {"d": "x" * 100}, [("1", "d", 50, 60)], {"a": [("d", 0, 10), ("d", 10, 20)]}
    )
    assert comparison.table.select("greedy_prec@5", "greedy_rec@5", "omega_rec").row(0) == (0, 0, 0)
    assert comparison.curve["characters"].to_list() == [0] * comparison.curve.height


def test_the_amount_of_gold_is_reported(comparison):
    assert comparison.topics == 3
    assert comparison.gold == pytest.approx((30 + 50 + 10) / 3)


def test_gold_that_is_not_found_is_reported():
    gold = [*GOLD, ("4", "a", 90, 200), ("5", "c", 0, 5)]
    notes = compare_chunkings(TEXTS, gold, ["paragraphs"]).notes
    assert "gold: 1 highlight was not found in the collection (outside the document)" in notes
    assert "gold: 1 judged document was not found in the collection (unknown document)" in notes


@pytest.mark.parametrize(
    ("collection", "gold", "chunkings", "sentence"),
    [
        (None, GOLD, ["paragraphs"], "wanted a collection, or texts by id, found none"),
        (TEXTS, [{"topic": "1", "doc": "a"}], ["paragraphs"], "wanted relevant text in at least one topic"),
        (TEXTS, GOLD, ["lines"], "wanted one of characters"),
        (TEXTS, GOLD, {"mine": []}, "chunking 'mine': wanted chunks, found none"),
        (TEXTS, GOLD, {"mine": 5}, "or plain data with doc, start and end, found 5"),
        (TEXTS, GOLD, {"mine": "gone.jsonl"}, "gone.jsonl: cannot be read"),
        (TEXTS, GOLD, {"mine": [("a", 0, 10**30)]}, "chunk 1: wanted doc, start and end"),
        (TEXTS, GOLD, [], "wanted at least one, found none"),
        (
            TEXTS,
            GOLD,
            [Chunker("x", list), Chunker("x", len)],
            "wanted each name once, found x, x; a mapping can",
        ),
        (
            TEXTS,
            GOLD,
            [Chunker("x", lambda _: None)],
            "chunker 'x', document 'a': wanted a list .* found None",
        ),
        (TEXTS, GOLD, 5, "chunkings: wanted names of chunkers, functions or splitters, found 5"),
        (TEXTS, GOLD, [5], "a splitter: wanted a function from a text to chunks, or an object with one of"),
        (TEXTS, GOLD, [Chunker], "wanted an object, such as Chunker"),
        (TEXTS, GOLD, [lambda _: 1 / 0], "chunker '<lambda>', document 'a' failed: .*ZeroDivisionError"),
    ],
)
def test_input_that_cannot_be_compared_is_rejected(collection, gold, chunkings, sentence):
    with pytest.raises(InputError, match=sentence):
        compare_chunkings(collection, gold, chunkings)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"cutoff": 0}, "cutoff: wanted a whole number from 1, found 0"),
        ({"depth": 0}, "depth: wanted a whole number from 1, found 0"),
        ({"recall": 0}, "recall: wanted a number above 0 and at most 1, found 0"),
        ({"recall": 1.5}, "found 1.5"),
    ],
)
def test_settings_out_of_range_are_rejected(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        compare_chunkings(TEXTS, GOLD, ["paragraphs"], **settings)


def test_a_bad_chunk_in_a_file_is_reported_with_its_line(tmp_path):
    (tmp_path / "mine.jsonl").write_text('{"doc": "a", "start": 0, "end": 5}\n\n{"doc": "a", "start": 3}\n')
    with pytest.raises(InputError, match=r"mine.jsonl, line 3: a chunk: wanted doc, start and end"):
        compare_chunkings(TEXTS, GOLD, {"mine": tmp_path / "mine.jsonl"})


def test_numpy_integers_are_accepted():
    chunks = {"mine": [("a", np.int64(0), np.int64(50)), ("b", np.int32(0), 30)]}
    assert compare_chunkings(TEXTS, GOLD, chunks).table["chunks"].item() == 2


WORDS = {"a": "one two three four five six seven eight nine ten"}  # 10 words, 48 characters
WORDS_GOLD = [("1", "a", 4, 13), ("1", "a", 24, 33)]  # two three, six seven


def test_cost_is_counted_in_words_or_tokens():
    chunkings = {"words:3": [("a", 0, 14), ("a", 14, 28), ("a", 28, 48)]}
    by_unit = {
        unit: compare_chunkings(WORDS, WORDS_GOLD, chunkings, recall=0.9, unit=unit).table["cost"].item()
        for unit in ("chars", "words", "tokens")
    }
    assert by_unit == {"chars": 48, "words": 10, "tokens": 10}
    half = compare_chunkings(WORDS, WORDS_GOLD, chunkings, recall=0.5, unit="words").table
    assert half["cost"].item() == 3

    def every_character(text):
        return [(place, place + 1) for place in range(len(text))]

    mine = compare_chunkings(WORDS, WORDS_GOLD, chunkings, unit="tokens", tokeniser=every_character).table
    assert mine["cost"].item() == 48


def test_budgets_cut_the_greedy_choice(comparison):
    """Section 15: the budgets of a curve; at 100 characters topic 1 has both halves of a."""
    points = comparison.budgets.filter(chunking="characters:50")
    assert points["budget"].to_list()[:3] == [100, 200, 500]
    assert points["rec"][0] == 1
    words = compare_chunkings(WORDS, WORDS_GOLD, ["characters:48"], unit="words").budgets
    assert words["budget"].to_list()[:2] == [10, 20]
    assert words["prec"][0] == pytest.approx(18 / 48)
    picture = build_chunk_picture(comparison, "rec", budgets=True)
    assert picture.ranks
    assert [line.x.tolist()[:2] for line in picture.lines] == [[100, 200], [100, 200]]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"unit": "lines"}, "wanted chars or words or tokens, found 'lines'"),
        ({"tokeniser": str.split}, 'wanted unit="tokens"'),
    ],
)
def test_units_that_count_nothing_are_rejected(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        compare_chunkings(WORDS, WORDS_GOLD, ["characters:5"], **settings)
