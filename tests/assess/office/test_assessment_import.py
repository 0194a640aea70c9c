"""Assessments are imported as events, and losses are reported."""

import json

import polars as pl
import pytest

from assess.saying import say
from doxel.assess.office.assessment_export import (
    export_assessments,
    write_export,
)
from doxel.assess.office.assessment_import import import_assessments
from doxel.assess.store.accounts import add_user
from doxel.assess.store.assignments import (
    create_assignment,
    find_statuses,
    list_assignments,
    set_locked,
)
from doxel.assess.store.event_log import read_states
from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessments import ASPECTS, BEPS, ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.errors import InputError


def test_files_of_2005_are_imported_and_exported_without_loss(demo, tmp_path):
    """All 341 documents of the bundled campaign are done, without a best entry point."""
    from doxel.assess.store.database import open_store
    from doxel.assess.store.pooled_documents import Library
    from doxel.assessments.assessment_spans import resolve_assessments
    from doxel.documents import read_collection

    collection = read_collection(demo.collection)
    store = open_store(tmp_path / "assess.sqlite")
    library = Library(collection)
    with store.write() as connection:
        add_user(connection, "anna", "secret words", "assessor")
    original = read_assessments(demo.assessments["inex2005"])
    imported = import_assessments(store, library, original, "anna")
    assert (imported.documents, imported.open, imported.notes) == (341, 0, ())
    export = export_assessments(store, library, "inex2005")
    assert export.losses == ()
    write_export(export, tmp_path / "2005.xml")
    again = read_assessments(tmp_path / "2005.xml")
    before, after = (resolve_assessments(part, collection) for part in (original, again))
    columns = {
        "judged": ["topic", "doc"],
        "highlights": ["topic", "doc", "start", "end"],
        "elements": ["topic", "doc", "path", "exhaustivity", "size", "rsize"],
    }
    for name, column_names in columns.items():
        rows = [sorted(getattr(part, name).select(column_names).rows()) for part in (before, after)]
        assert rows[0] == rows[1]
        assert rows[0]


@pytest.mark.parametrize(
    ("scale", "grades"),
    [("2003", {"exhaustivity": "2", "specificity": "3"}), ("2002", {"relevance": "3", "coverage": "E"})],
)
def test_graded_elements_survive_export_and_import(campaign, library, tmp_path, scale, grades):
    with campaign.write() as connection:
        create_assignment(connection, "2", 1, scale)
    body = {"path": "/article[1]", "grades": grades}
    say(campaign, library, 2, ("plums", "grade", body), ("plums", "validate", {}))
    write_export(export_assessments(campaign, library, f"inex{scale}", topics=["2"]), tmp_path / "out.xml")
    read = read_assessments(tmp_path / "out.xml")
    assert read.elements.select("path", *grades).rows() == [("/article[1]", *grades.values())]
    outcome = import_assessments(campaign, library, read, "ben")
    assert (outcome.documents, outcome.open, outcome.complete) == (1, 0, True)
    with campaign.read() as connection:
        assert read_states(connection, outcome.assignments[0])["plums"].grades == {"/article[1]": grades}
        assert find_statuses(connection, outcome.assignments[0]) == {"plums": "validated"}


def test_an_import_restores_the_states_of_the_export(judged, library, tmp_path):
    write_export(export_assessments(judged, library, "qrels"), tmp_path / "out.qrels")
    read = read_assessments(tmp_path / "out.qrels")
    outcome = import_assessments(judged, library, read, "ben")
    assert (outcome.stored, outcome.known, outcome.open, outcome.notes) == (4, 0, 0, ())
    with judged.read() as connection:
        assert read_states(connection, 2) == read_states(connection, 1)
        assert [assignment.official for assignment in list_assignments(connection)] == [True, False]
    again = import_assessments(judged, library, read, "ben")
    assert (again.stored, again.known) == (0, 4)


def test_repeating_an_import_does_not_change_later_work(judged, library, tmp_path):
    write_export(export_assessments(judged, library, "qrels"), tmp_path / "out.qrels")
    read = read_assessments(tmp_path / "out.qrels")
    import_assessments(judged, library, read, "ben")
    say(judged, library, 2, ("apples", "unhighlight", {"spans": [[30, 40]]}))
    import_assessments(judged, library, read, "ben")
    with judged.read() as connection:
        assert read_states(connection, 2)["apples"].highlights == ((6, 26),)


def test_an_import_does_not_mix_with_other_work(judged, library, tmp_path):
    write_export(export_assessments(judged, library, "qrels"), tmp_path / "out.qrels")
    read = read_assessments(tmp_path / "out.qrels")
    with pytest.raises(InputError, match="an assessor who has not begun it, found work of anna"):
        import_assessments(judged, library, read, "anna")
    with pytest.raises(InputError, match="the name of a user, found 'nobody'"):
        import_assessments(judged, library, read, "nobody")
    with judged.write() as connection:
        create_assignment(connection, "1", 2)
        set_locked(connection, 2, locked=True)
    with pytest.raises(InputError, match="found a locked assignment"):
        import_assessments(judged, library, read, "ben")


def test_an_import_notes_its_losses(campaign, library, tmp_path):
    lines = [
        {"topic": "7", "doc": "plums", "start": 0, "end": 5, "grade": 2},
        {"topic": "7", "doc": "quinces", "start": 0, "end": 5},
        {"topic": "7", "doc": "apples", "start": 0, "end": 5_000},
        {"topic": "7", "doc": "plums", "start": 7, "end": 7},
        {"topic": "7", "doc": "pears"},
        {"topic": "7", "doc": "pears", "start": 0, "end": 5, "grade": 0},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    outcome = import_assessments(campaign, library, read_assessments(tmp_path / "a.jsonl"), "ben")
    assert outcome.documents == 3
    assert not outcome.complete
    notes = " ".join(outcome.notes)
    assert "1 judged document was not found in the collection (unknown document)" in notes
    assert "1 highlight was not found in the collection (outside the document)" in notes
    assert "1 highlight has a grade, which is left out" in notes
    assert "1 highlight of grade 0 is left out" in notes
    assert "1 highlight without text is left out" in notes
    assert "1 document is not done, the first because something is highlighted" in notes
    with campaign.read() as connection:  # new topics and documents are there to be judged
        (assignment,) = [item for item in list_assignments(connection) if item.topic == "7"]
        assert (assignment.documents, assignment.validated, assignment.open) == (3, 2, 1)
        assert read_states(connection, assignment.id)["pears"].highlights == ()


def test_of_several_entry_points_the_first_is_taken_and_the_others_are_counted(campaign, library):
    beps = {"topic": ["1"] * 3, "doc": ["apples"] * 3, "position": [7, 3, 5]}
    read = Assessments(
        scale="2006",
        judged=JUDGED.from_rows([{"topic": "1", "doc": "apples"}]),
        highlights=HIGHLIGHTS.from_rows([{"topic": "1", "doc": "apples", "start": 3, "end": 9}]),
        elements=ELEMENTS.from_rows([]),
        beps=BEPS.from_rows(pl.DataFrame(beps).to_dicts()),
    )
    outcome = import_assessments(campaign, library, read, "ben")
    assert outcome.notes == ("2 further best entry points are left out",)
    with campaign.read() as connection:
        assert read_states(connection, outcome.assignments[0])["apples"].bep == 7


def test_judgements_of_documents_become_highlights_from_end_to_end(campaign, library, tmp_path):
    (tmp_path / "q.txt").write_text("1 0 apples 2\n1 0 pears 0\n")
    outcome = import_assessments(campaign, library, read_assessments(tmp_path / "q.txt"), "ben")
    with campaign.read() as connection:
        states = read_states(connection, outcome.assignments[0])
    assert states["apples"].highlights == ((0, 67),)
    assert states["pears"].validated
    assert "1 relevant document is highlighted from end to end" in outcome.notes


def test_aspects_are_exported_and_imported(named, library, tmp_path):
    write_export(export_assessments(named, library, "jsonl"), tmp_path / "gold.jsonl")
    read = read_assessments(tmp_path / "gold.jsonl")
    assert read.highlights.select("start", "end", "aspect").rows() == [
        (6, 26, "taste"),
        (6, 26, "colour"),
        (30, 40, None),
    ]
    outcome = import_assessments(named, library, read, "ben")
    with named.read() as connection:
        state = read_states(connection, outcome.assignments[0])["apples"]
    assert state.highlights == ((6, 26), (30, 40))
    assert state.aspects == {"6": "taste", "7": "colour"}


def test_weights_of_aspects_are_exported_as_a_line_of_the_topic_and_imported(named, library, tmp_path):
    stated = {"place": "6", "aspect": "taste", "weight": "2", "vital": "no"}
    say(named, library, 1, ("apples", "aspect", stated), ("apples", "validate", {}))
    write_export(export_assessments(named, library, "jsonl"), tmp_path / "gold.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "gold.jsonl").read_text().splitlines()]
    assert {"topic": "1", "aspects": {"taste": {"weight": 2.0, "vital": False}}} in lines
    read = read_assessments(tmp_path / "gold.jsonl")
    outcome = import_assessments(named, library, read, "ben")
    assert not any("weight" in note for note in outcome.notes)
    with named.read() as connection:
        state = read_states(connection, outcome.assignments[0])["apples"]
    assert (state.weights, state.vital) == ({"6": "2"}, {"6": "no"})


def test_weights_of_aspects_are_reported_when_they_are_not_imported(judged, library):
    place = {"topic": "1", "doc": "apples"}
    read = Assessments(
        "2006",
        JUDGED.from_rows([place]),
        HIGHLIGHTS.from_rows([{**place, "start": 6, "end": 9, "aspect": "taste"}]),
        beps=BEPS.from_rows([{**place, "position": 6}]),
        aspects=ASPECTS.from_rows([{"topic": "1", "aspect": "taste", "weight": 7.5}]),
    )
    notes = import_assessments(judged, library, read, "ben").notes
    assert any("1 aspect has a weight that is left out" in note for note in notes)
