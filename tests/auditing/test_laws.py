"""What each law does to a case, and which scores break it."""

import math

import pytest

from doxel.auditing.audit_cases import SHAPES, AuditCase, Passage
from doxel.auditing.case_files import ARTICLE_IDS
from doxel.auditing.laws import LAWS, ScorePair
from doxel.measures.declaration import KINDS
from doxel.measures.measure_table import MEASURES

BY_NAME = {law.name: law for law in LAWS}


def passages(topic, *spans):
    return tuple(Passage(topic, *span) for span in spans)


CASE = AuditCase(
    passages("1", ("d1", 2, 5), ("d1", 4, 8), ("d2", 0, 3)), passages("1", ("d1", 2, 6), ("d3", 0, 2))
)
TWO = AuditCase(
    passages("1", ("d1", 0, 1)) + passages("2", ("d2", 0, 1)),
    passages("1", ("d1", 0, 1)) + passages("2", ("d2", 4, 5)),
)


def change(law, case=CASE):
    changed = BY_NAME[law].change(case)
    return None if changed is None else [result[1:] for result in changed.results]


def test_laws_have_a_name_a_statement_a_reason_and_a_known_kind():
    assert len(BY_NAME) == len(LAWS)
    for law in LAWS:
        assert law.statement.endswith(".")
        assert law.reason.endswith(".")
        assert law.kind is None or law.kind in KINDS
        assert set(law.shapes) <= set(SHAPES)


def test_measures_name_laws_and_kinds_that_exist():
    for measure in MEASURES:
        assert set(measure.declaration.kinds) <= set(KINDS), measure
        assert set(measure.list_broken_laws()) <= set(BY_NAME), measure
        assert set(measure.list_exempt_laws()) <= set(BY_NAME), measure


def test_the_perfect_answer_is_the_relevant_text():
    assert change("perfect") == change("best") == [("d1", 2, 8), ("d2", 0, 3)]


def test_neighbours_touch_the_gold_and_contain_none_of_it():
    assert change("touching") == [("d1", 1, 2), ("d1", 8, 9), ("d2", 3, 4)]
    close = AuditCase(passages("1", ("d1", 0, 1), ("d1", 1, 2)), passages("1", ("d1", 0, 1)))
    assert change("touching", close) == [("d1", 2, 3)]


def test_junk_is_appended_in_a_document_with_gold_or_without():
    appended = set()
    for number in range(4):
        case = AuditCase(CASE.gold, CASE.results, picks=(0, 0, number))
        results = change("junk", case)
        assert results[:2] == [result[1:] for result in CASE.results]
        appended |= set(results[2:])
    assert appended == {("d9", 0, 1), ("d1", 30, 31), ("d1", 35, 36)}
    documents = AuditCase(CASE.gold, CASE.results, shape="documents")
    assert change("junk", documents)[2:] == [("d9", 0, 1)]


def test_a_repeat_comes_last():
    assert change("repeat") == [("d1", 2, 6), ("d3", 0, 2), ("d1", 2, 6)]


def test_pieces_take_the_place_of_their_result():
    assert change("splitting") == [("d1", 2, 3), ("d1", 3, 6), ("d3", 0, 2)]
    assert change("overlapping") == [("d1", 2, 4), ("d1", 3, 6), ("d3", 0, 2)]
    short = AuditCase(CASE.gold, passages("1", ("d1", 0, 1)))
    assert change("splitting", short) is change("overlapping", short) is None


def test_new_names_keep_the_order_of_the_old_ones():
    renamed = BY_NAME["renaming"].change(TWO)
    assert [result[:2] for result in renamed.results] == [("5", "e1"), ("6", "e2")]
    assert [gold[:2] for gold in renamed.gold] == [("5", "e1"), ("6", "e2")]


def test_reversed_names_are_new_and_have_the_opposite_order():
    case = AuditCase(CASE.gold, passages("1", *((f"d{number}", 0, 1) for number in (1, 2, 3, 4, 5, 6, 9))))
    names = [result.doc for result in BY_NAME["reversing"].change(case).results]
    assert names == sorted(names, reverse=True)
    assert {*names} <= {*ARTICLE_IDS} - {result.doc for result in case.results}
    assert {gold.doc for gold in BY_NAME["reversing"].change(TWO).gold} == {"e9", "e6"}


def test_gold_and_results_are_shifted_alike():
    shifted = BY_NAME["shifting"].change(CASE)
    for before, after in ((CASE.gold, shifted.gold), (CASE.results, shifted.results)):
        assert {
            (new.start - old.start, new.end - old.end) for old, new in zip(before, after, strict=True)
        } == {(10, 10)}


def test_missing_gold_is_appended():
    assert change("more") == [("d1", 2, 6), ("d3", 0, 2), ("d1", 2, 5)]
    assert change("more", AuditCase(CASE.gold, CASE.gold)) is None


def test_a_retrieved_document_without_gold_is_judged():
    assert BY_NAME["unjudged"].change(CASE).judged == (("1", "d3"),)
    assert BY_NAME["unjudged"].change(AuditCase(CASE.gold, CASE.gold)) is None


def test_one_of_two_topics_is_left_unanswered():
    assert [result.topic for result in BY_NAME["unanswered"].change(TWO).results] == ["2"]
    assert change("unanswered") is None


def test_lines_are_shuffled_and_nothing_else():
    shuffled = BY_NAME["order"].change(CASE)
    assert shuffled.shuffle
    assert (shuffled.gold, shuffled.results) == (CASE.gold, CASE.results)


@pytest.mark.parametrize(
    ("law", "kept", "broken"),
    [
        ("bounds", (0, 1), (0.5, 1.1)),
        ("bounds", (0, 1), (-0.1, 0.5)),
        ("perfect", (0.3, 1), (1, 0.9)),
        ("best", (0.3, 0.3), (0.4, 0.3)),
        ("touching", (0.5, 0), (0, 0.1)),
        ("junk", (0.5, 0.4), (0.5, 0.6)),
        ("repeat", (0.5, 0.5), (0.5, 0.6)),
        ("splitting", (0.5, 0.5), (0.5, 0.4)),
        ("overlapping", (0.5, 0.5), (0.5, 0.6)),
        ("order", (0.5, 0.5), (0.5, 0.4)),
        ("renaming", (0.5, 0.5), (0.5, 0.4)),
        ("reversing", (0.5, 0.5), (0.5, 0.6)),
        ("shifting", (0.5, 0.5), (0.5, 0.4)),
        ("more", (0.5, 0.6), (0.5, 0.4)),
        ("unjudged", (0.5, 0.5), (0.5, 0.6)),
        ("unanswered", (0.5, 0.4), (0.5, 0.6)),
        ("answers", (0.5, 0.5), (0.5, math.nan)),
    ],
)
def test_scores_that_keep_and_break_a_law(law, kept, broken):
    assert BY_NAME[law].holds(ScorePair(*kept, 0, 1, 1e-9))
    assert not BY_NAME[law].holds(ScorePair(*broken, 0, 1, 1e-9))


def test_bounds_that_do_not_exist_need_not_be_reached():
    assert BY_NAME["perfect"].holds(ScorePair(0, 5, 0, math.inf, 1e-9))
    assert BY_NAME["touching"].holds(ScorePair(0, 5, -math.inf, 0, 1e-9))


def test_differences_within_the_tolerance_break_nothing():
    assert BY_NAME["order"].holds(ScorePair(0.1234, 0.1235, 0, 1, 1.001e-4))
    assert not BY_NAME["order"].holds(ScorePair(0.1234, 0.1236, 0, 1, 1.001e-4))
