"""The numbers of sections 8 and 12 that need no elements, through ``evaluate``.

Figures marked (tool) were printed by inex_eval 3.1 (tests/golden/inex_eval-worked/SOURCE.md) and are asserted
where its rules and the clean ones coincide.
"""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817 - there are dozens of them
from pathlib import Path

import pytest

from doxel.assessments.assessments import BEPS, HIGHLIGHTS, JUDGED, Assessments
from doxel.evaluation import evaluate

WORKED = Path(__file__).parent / "inex_eval-worked"
QRELS = WORKED / "qrels.txt"


def exactly(*values):
    return pytest.approx([float(value) for value in values], rel=1e-14, abs=1e-15)


def worked(run, measures, **how):
    """Scores by topic, and the mean."""
    result = evaluate(WORKED / f"{run}.run", QRELS, measures, **how)
    assert not result.rejected
    return [*result.scores["score"], *result.means["score"]]


# ---- section 8


def test_focused_measures_agree_with_the_tool():
    first, second, third, mean = worked("focused", "MAiP")
    assert [first, second, third] == exactly(F(89, 101) * F(4, 7), F(8, 15), 0)
    assert first == pytest.approx(0.5035360678925033, rel=1e-15)  # (tool)
    assert mean == pytest.approx(0.3456231337419455, rel=1e-15)  # (tool) all topics
    assert worked("focused", "MAiP", topics="run")[-1] == pytest.approx(
        0.5184347006129182, rel=1e-15
    )  # (tool)
    assert worked("focused", "char_prec")[-1] == pytest.approx(0.3682539682539683, rel=1e-15)  # (tool)


def test_thorough_counts_overlap_once():
    assert worked("overlap", "MAiP(task=thorough)")[0] == pytest.approx(
        0.11386138613861387, rel=1e-14
    )  # (tool)


def test_thorough_counts_repeats_once():
    # C 0+100 twice, B 0+200: 200 of 300 new characters, recall 200/450
    assert worked("repeats", "iP(task=thorough)@0")[0] == pytest.approx(2 / 3)
    assert worked("repeats", "MAiP(task=thorough)")[0] == pytest.approx(45 / 101 * 2 / 3)


def test_unresolved_results_have_no_size():
    # A X, B 0+200: the first result keeps its rank and has no text
    assert worked("unresolved", "iP@0")[0] == 1
    assert worked("unresolved", "char_prec")[0] == 1
    assert worked("unresolved", "art_prec")[0] == 1  # both articles are relevant


@pytest.mark.parametrize(
    ("parameters", "mean"),
    [
        ("beta=0.25", 0.34608636268958815),
        ("beta=1", 0.3968253968253968),
        ('score="t2i"', 0.2972222222222222),
        ('score="t2i", T=60', 0.36971916971916974),
    ],
)
def test_relevant_in_context_agrees_with_the_tool(parameters, mean):
    assert worked("relevant-in-context", f"MAgP({parameters})", topics="run")[-1] == pytest.approx(
        mean, rel=1e-14
    )


@pytest.mark.parametrize(("n", "mean"), [(500, 0.7569444444444444), (1000, 0.8298611111111112)])
def test_best_in_context_agrees_with_the_tool(n, mean):
    result = worked("best-in-context", f'MAgP(score="bep", n={n})', topics="run")
    assert result[-1] == pytest.approx(mean, rel=1e-14)


JUDGEMENTS = {
    "100": (1000, 50, [(100, 300), (500, 600)]),
    "200": (400, 0, [(0, 100)]),
    "300": (500, None, []),
}
TINY = Assessments(
    "2006",
    JUDGED.from_rows({"topic": "1", "doc": doc, "docsize": size} for doc, (size, _, _) in JUDGEMENTS.items()),
    HIGHLIGHTS.from_rows(
        {"topic": "1", "doc": doc, "start": start, "end": end}
        for doc, (_, _, spans) in JUDGEMENTS.items()
        for start, end in spans
    ),
    beps=BEPS.from_rows(
        {"topic": "1", "doc": doc, "position": at} for doc, (_, at, _) in JUDGEMENTS.items() if at is not None
    ),
)  # topic 1 of the hand-sized case that comes with the tool's outputs
PASSAGES = [("1", "100", 100, 200), ("1", "100", 450, 550), ("1", "300", 0, 500), ("1", "200", 50, 200)]
ENTRIES = [("1", "300", 0, 1), ("1", "100", 150, 151), ("1", "200", 600, 601)]


def tiny(*measures, run=PASSAGES):
    return evaluate(run, TINY, list(measures)).scores["score"].to_list()


def test_the_tiny_case_agrees_with_the_tool():
    articles = tiny("art_prec", "art_rec", "art_f1", "char_prec", "char_rec", "char_f1")
    assert articles == exactly(F(2, 3), 1, F(4, 5), F(4, 17), F(1, 2), F(8, 25))
    assert tiny("MAiP") == exactly(0.3768200349446708)  # (tool)
    assert tiny("gP(beta=0.25)@1,2,3") == exactly(
        0.7285714285714285, 0.36428571428571427, 0.35619047619047617
    )
    assert tiny("MAgP(beta=0.25)") == exactly(0.5423809523809524)  # (tool)
    assert tiny("gP(pad=False)@10") == pytest.approx(tiny("gP@3"))
    assert tiny("gP@6") == pytest.approx([score / 2 for score in tiny("gP@3")])
    assert tiny("gR@1,2,3,5") == exactly(F(1, 2), F(1, 2), 1, 1)


def test_tolerance_to_irrelevance_and_entry_points_agree_with_the_tool():
    assert tiny('MAgP(score="t2i")') == exactly(0.3446969696969697)  # (tool)
    assert tiny('igP(score="t2i")@0,0.5,0.6,1') == exactly(
        *[0.45454545454545453] * 2, *[0.23484848484848486] * 2
    )
    assert tiny('gP(score="bep")@1,2,3', run=ENTRIES) == exactly(0, F(2, 5), F(4, 15))
    assert tiny('MAgP(score="bep")', run=ENTRIES) == exactly(F(1, 3))


@pytest.mark.parametrize(
    ("tolerance", "relevant", "irrelevant"),
    [
        (1, 1, 1),
        (9, 1, 9),  # all of [0,10)
        (10, 1, 10),  # and the beginning of the gap [10,20)
        (18, 1, 18),  # enough, just before the last character
        (19, 2, 18),
        (1000, 2, 18),  # the document ends
    ],
)
def test_retrieved_text_is_read_before_the_gaps(tolerance, relevant, irrelevant):
    # of 20 characters 0 and 19 are relevant; [0,10) was retrieved
    gold = Assessments(
        "2006",
        JUDGED.from_rows([{"topic": "1", "doc": "d", "docsize": 20}]),
        HIGHLIGHTS.from_rows({"topic": "1", "doc": "d", "start": at, "end": at + 1} for at in (0, 19)),
    )
    result = evaluate([("1", "d", 0, 10)], gold, f'gP(score="t2i", T={tolerance})@1')
    assert result.scores["score"].to_list() == exactly(F(relevant, relevant + irrelevant))


def test_reading_starts_with_retrieved_text_wherever_it_is():
    gold = Assessments(
        "2006",
        JUDGED.from_rows([{"topic": "1", "doc": "d", "docsize": 20}]),
        HIGHLIGHTS.from_rows([{"topic": "1", "doc": "d", "start": 15, "end": 20}]),
    )
    run = [("1", "d", 15, 18), ("1", "d", 0, 1)]
    # [0,1) is irrelevant, [15,18) is not; then 3 characters of the gap [1,15) use up the tolerance
    result = (
        evaluate(run, gold, ['gP(score="t2i", T=4)@1', 'gP(score="t2i", T=16)@1']).scores["score"].to_list()
    )
    assert result == exactly(F(3, 7), F(5, 20))


def test_an_article_that_was_not_found_is_not_read():
    assert tiny('gP(score="t2i")@1', run=[("1", "100", -1, -1)]) == [0]


def test_declared_sizes_are_used_unless_recomputed(tmp_path):
    # the file declares 100 of 1000 characters as relevant and lists 50
    (tmp_path / "qrels").write_text("1 Q0 d 100 1000 0 0:50\n")
    run = [("1", "d", 0, 50)]
    assert evaluate(run, tmp_path / "qrels", "char_rec").scores["score"].to_list() == [0.5]
    recomputed = evaluate(run, tmp_path / "qrels", "char_rec", sizes="collection")
    assert recomputed.scores["score"].to_list() == [1]


# ---- section 12

GOLD = [("1", "d", 100, 200)]
CHUNKS = [("1", "d", 50, 150), ("1", "d", 100, 200), ("1", "d", 300, 400)]


@pytest.mark.parametrize(
    ("name", "once", "charged"),
    [
        ("char_rec", [F(1, 2), 1, 1], [F(1, 2), 1, 1]),
        ("char_prec", [F(1, 2), F(2, 3), F(2, 5)], [F(1, 2), F(1, 2), F(1, 3)]),
        ("char_iou", [F(1, 3), F(2, 3), F(2, 5)], [F(1, 3), F(1, 2), F(1, 3)]),
        ("char_f1", [F(1, 2), F(4, 5), F(4, 7)], [F(1, 2), F(2, 3), F(1, 2)]),
    ],
)
def test_repeated_characters_count_once_or_are_charged(name, once, charged):
    measures = [f"{name}@1,2,3", f"{name}(repeats=charged)@1,2,3", name]
    result = evaluate(CHUNKS, GOLD, measures).scores["score"].to_list()
    assert result == exactly(*once, *charged, once[-1])


def test_overlapping_chunks_are_not_counted_twice():
    gold = [("1", "d", 0, 100)]
    chunks = [("1", "d", 0, 50), ("1", "d", 25, 75), ("1", "d", 50, 100)]
    names = ["char_rec", "char_prec", "char_iou", "char_f1"]
    assert evaluate(chunks, gold, names).scores["score"].to_list() == [1, 1, 1, 1]
    charged = ["char_prec(repeats=charged)", "char_iou(repeats=charged)"]
    assert evaluate(chunks, gold, charged).scores["score"].to_list() == exactly(F(2, 3), F(2, 3))


def test_results_that_share_one_character_overlap():
    run = [("1", "d", 90, 101), ("1", "d", 100, 110)]
    once, charged, rec = evaluate(run, GOLD, ["char_prec", "char_prec(repeats=charged)", "char_rec"]).scores[
        "score"
    ]
    assert [once, charged, rec] == exactly(F(10, 20), F(10, 21), F(1, 10))


def test_overlapping_gold_spans_are_merged():
    gold = [("1", "d", 0, 60), ("1", "d", 40, 100), ("1", "e", 0, 100)]
    assert evaluate([("1", "d", 0, 100)], gold, "char_rec").scores["score"].to_list() == [0.5]


# ---- section 7


def test_a_result_loses_the_text_it_shares_with_an_earlier_one():
    # section 7: rsize - alpha * highlighted characters already seen: 50, then 40 - 10/2
    run = [("1", "d", 0, 50), ("1", "d", 40, 80)]
    result = evaluate(run, [("1", "d", 0, 100)], "HiXEval_R(alpha=0.5)@1,2").scores["score"].to_list()
    assert result == exactly(F(50, 100), F(85, 100))


# ---- section 0

LIMITED = [("1", "d", 0, 10), ("1", "e", 0, 10), ("1", "d", 20, 30)]


@pytest.mark.parametrize(
    ("measure", "score"),
    [
        ("char_prec", F(10, 30)),
        ("char_prec(limit=1)", 1),
        ("char_prec(limit=2)", F(10, 20)),
        ("char_prec(chars=15)", F(10, 15)),  # the result that crosses is cut
        ("char_prec(chars=20)", F(10, 20)),
        ("char_prec(article_chars=12)", F(10, 22)),  # d: 10 and 2; e: 10
        ("char_prec(article_chars=5)", F(5, 10)),
        ("char_prec(article_chars=5, chars=7)", F(5, 7)),
        ("art_prec", F(1, 2)),
        ("art_prec(limit=1)", 1),
    ],
)
def test_limits_cut_the_list(measure, score):
    assert evaluate(LIMITED, [("1", "d", 0, 10)], measure).scores["score"].to_list() == exactly(score)


def test_the_limit_counts_articles_in_the_article_measures():
    run = [("1", "d", 0, 10), ("1", "d", 20, 30), ("1", "e", 0, 10)]
    gold = [("1", "d", 0, 10), ("1", "d", 20, 30), ("1", "e", 0, 10)]
    scores = evaluate(run, gold, ["gR(limit=1)@5", "MAgP(limit=1)", "char_rec(limit=1)"]).scores["score"]
    assert scores.to_list() == exactly(F(1, 2), F(1, 2), F(1, 3))
