"""Differences between assessors on a document, and the outcomes an adjudicator can choose."""

from hypothesis import given
from hypothesis import strategies as st

from assess.random_events import events
from doxel.assess.document_state import NO_ELEMENTS, State, fold_events
from doxel.assess.judgement_differences import compare_judgements, count_marks
from doxel.assess.judging_events import join_spans
from doxel.assess.scales import find_scale

SCALE = find_scale("2006")


def cut(spans):
    return {at for start, end in spans for at in range(start, end)}


def test_a_stretch_can_be_decided_for_either_side_both_the_common_part_the_majority_or_nobody():
    states = {
        4: State(highlights=((0, 20), (50, 60))),
        7: State(highlights=((10, 40), (50, 60))),
        9: State(highlights=((15, 20), (50, 60))),
    }
    compared = compare_judgements(states, SCALE, NO_ELEMENTS)
    assert compared.agreed.highlights == ((15, 20), (50, 60))
    (difference,) = compared.differences
    assert (difference.place, difference.kind, difference.start, difference.end) == ("0-40", "passage", 0, 40)
    assert dict(difference.choices) == {
        "4": ((0, 20),),
        "7": ((10, 40),),
        "9": ((15, 20),),
        "union": ((0, 40),),
        "intersection": ((15, 20),),
        "majority": ((10, 20),),
        "none": (),
    }


def test_half_of_the_assessors_are_not_a_majority():
    marks = {1: (0, 30), 2: (10, 30), 3: (20, 30), 4: (25, 30)}
    states = {number: State(highlights=(span,)) for number, span in marks.items()}
    (difference,) = compare_judgements(states, SCALE, NO_ELEMENTS).differences
    assert difference.choices["majority"] == ((20, 30),)  # two of four mark [10, 20)


def test_entry_points_differ_if_one_is_missing_and_come_before_the_text_there():
    states = {1: State(highlights=((0, 5),), bep=0), 2: State(highlights=((0, 9),))}
    compared = compare_judgements(states, SCALE, NO_ELEMENTS)
    assert [difference.place for difference in compared.differences] == ["bep", "0-9"]
    assert dict(compared.differences[0].choices) == {"1": 0, "2": None, "none": None}
    assert compared.agreed.bep is None


def test_grades_can_be_decided_for_an_assessor_the_highest_or_the_lowest(library):
    path = "/article[1]/sec[1]"
    grades = [{"exhaustivity": "1", "specificity": "3"}, {"exhaustivity": "3", "specificity": "1"}]
    states = {
        1: State(grades={path: grades[0], "/article[1]": grades[1]}),
        2: State(grades={path: grades[1]}),
    }
    compared = compare_judgements(states, find_scale("2003"), library.outline("apples"))
    root, section = compared.differences
    assert (root.path, root.choices["2"], root.choices["union"]) == ("/article[1]", None, grades[1])
    assert (section.choices["union"], section.choices["intersection"]) == (grades[1], grades[0])
    assert section.choices["none"] is None
    assert compared.agreed.grades == {}


def test_aspects_that_not_all_name_alike_are_a_difference_of_their_own():
    states = {
        4: State(highlights=((0, 20), (50, 60)), aspects={"0": "taste", "1": "colour", "50": "storage"}),
        7: State(
            highlights=((0, 20), (50, 60)),
            aspects={"0": "colour", "3": "price", "52": "storage"},
            weights={"3": "2"},
        ),
    }
    compared = compare_judgements(states, SCALE, NO_ELEMENTS)
    assert compared.agreed.aspects == {"50": "storage"}, "whose position differs, and whose name does not"
    (difference,) = compared.differences
    assert (difference.place, difference.kind) == ("aspects-0-20", "aspects")
    assert difference.about == "the aspects of the text from 0 to 20"
    assert dict(difference.choices) == {
        "4": {"0": {"aspect": "taste"}, "1": {"aspect": "colour"}},
        "7": {"0": {"aspect": "colour"}, "3": {"aspect": "price", "weight": "2"}},
        "union": {
            "0": {"aspect": "taste"},
            "1": {"aspect": "colour"},
            "3": {"aspect": "price", "weight": "2"},
        },
        "intersection": {"1": {"aspect": "colour"}},
        "none": {},
    }


def test_the_weight_of_an_aspect_is_compared_too():
    marks = {"highlights": ((0, 20),), "aspects": {"0": "taste"}}
    agreed = compare_judgements(dict.fromkeys((1, 2), State(**marks, weights={"0": "2"})), SCALE, NO_ELEMENTS)
    assert (agreed.differences, agreed.agreed.weights) == ((), {"0": "2"})
    states = {1: State(**marks, weights={"0": "2"}), 2: State(**marks, vital={"0": "no"})}
    (difference,) = compare_judgements(states, SCALE, NO_ELEMENTS).differences
    assert difference.choices["1"] == {"0": {"aspect": "taste", "weight": "2"}}
    assert difference.choices["2"] == {"0": {"aspect": "taste", "vital": "no"}}
    assert difference.choices["intersection"] == {}


def test_agreed_aspects_are_named_inside_the_text_that_all_highlighted():
    states = {
        1: State(highlights=((0, 20),), aspects={"0": "taste"}),
        2: State(highlights=((10, 20),), aspects={"10": "taste"}),
    }
    compared = compare_judgements(states, SCALE, NO_ELEMENTS)
    assert [difference.place for difference in compared.differences] == ["0-20"]
    assert (compared.agreed.highlights, compared.agreed.aspects) == (((10, 20),), {"10": "taste"})


def test_one_assessor_or_equal_ones_have_no_differences():
    state = State(highlights=((0, 4),), bep=0)
    for states in ({}, {1: state}, {1: state, 2: state}):
        assert compare_judgements(states, SCALE, NO_ELEMENTS).differences == ()
    assert compare_judgements({1: state, 2: state}, SCALE, NO_ELEMENTS).agreed == state


@given(st.lists(st.lists(events(), max_size=6), min_size=2, max_size=4))
def test_agreement_and_choices_are_those_of_single_characters(histories):
    marks = {number: fold_events(history).highlights for number, history in enumerate(histories, 1)}
    states = {number: State(highlights=spans) for number, spans in marks.items()}
    compared = compare_judgements(states, SCALE, NO_ELEMENTS)
    sets = {number: cut(spans) for number, spans in marks.items()}
    assert cut(compared.agreed.highlights) == set.intersection(*sets.values())
    disputed = set.union(*sets.values()) - set.intersection(*sets.values())
    stretches = cut((difference.start, difference.end) for difference in compared.differences)
    assert disputed <= stretches
    for number, characters in sets.items():
        chosen_spans = join_spans(*(difference.choices[str(number)] for difference in compared.differences))
        assert cut(chosen_spans) == characters & stretches
    if len(sets) > 2:
        chosen_spans = join_spans(*(difference.choices["majority"] for difference in compared.differences))
        majority = {at for at in stretches if 2 * sum(at in marked for marked in sets.values()) > len(sets)}
        assert cut(chosen_spans) == majority
    counted = {
        at: count for (start, end), count in count_marks([*marks.values()]) for at in range(start, end)
    }
    assert counted == {at: sum(at in marked for marked in sets.values()) for at in set.union(*sets.values())}
