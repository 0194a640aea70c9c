"""Import and export of assessments, in all formats and with both databases."""

import json
import math
import signal

import polars as pl
import pytest

from assess.saying import say
from doxel.assess.judging_events import Arrival, Event
from doxel.assess.office import assessment_export
from doxel.assess.office.administration import hand_over
from doxel.assess.office.assessment_agreement import compare_assessors
from doxel.assess.office.assessment_export import (
    choose_assignments,
    collect_assessments,
    export_assessments,
    write_export,
)
from doxel.assess.office.assessment_import import import_assessments
from doxel.assess.store.accounts import add_user
from doxel.assess.store.assignments import (
    create_assignment,
    find_statuses,
    list_assignments,
    make_official,
    set_locked,
)
from doxel.assess.store.database_schema import SNAPSHOTS
from doxel.assess.store.event_log import read_folded_states, read_states
from doxel.assess.store.event_writer import Submission, append_events
from doxel.assessments import Assessments, read_assessments, write_assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.assessments.assessments import ASPECTS, BEPS, ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.errors import InputError
from doxel.files import write_file


@pytest.fixture
def judged(campaign, library):
    """Topic 1, judged by anna: one relevant document, one not."""
    say(
        campaign,
        library,
        1,
        ("apples", "highlight", {"spans": [[6, 26], [30, 40]]}),
        ("apples", "bep", {"position": 10}),
        ("apples", "validate", {}),
        ("pears", "validate", {}),
    )
    return campaign


@pytest.mark.parametrize("name", ["qrels", "jsonl", "inex2006", "web-annotation"])
def test_an_export_reads_back_as_what_was_highlighted(judged, library, tmp_path, name):
    made = export_assessments(judged, library, name)
    assert made.losses == ()
    write_export(made, tmp_path / "out")
    read = read_assessments(tmp_path / "out")
    from doxel.assessments.assessment_spans import resolve_assessments

    resolved = resolve_assessments(read, library.collection)
    assert resolved.highlights.select("doc", "start", "end").rows() == [("apples", 6, 26), ("apples", 30, 40)]
    assert resolved.beps.select("doc", "position").rows() == [("apples", 10)]
    assert resolved.judged.select("topic", "doc", "rsize").rows() == [("1", "apples", 30), ("1", "pears", 0)]


@pytest.mark.parametrize(
    "name",
    [entry.name for entry in ASSESSMENT_FORMATS if not (entry.campaign or entry.is_read_only)],
)
def test_every_format_is_written_or_names_its_losses(judged, library, tmp_path, name):
    if name in {"inex2002", "inex2003"}:
        with pytest.raises(InputError, match="cannot hold everything"):
            export_assessments(judged, library, name)
    made = export_assessments(judged, library, name, lossy=True)
    write_export(made, tmp_path / "out")
    assert read_assessments(tmp_path / "out", format=name).judged.height == 2


def test_an_export_names_text_rule_fingerprint_and_assignments(judged, library, tmp_path):
    (tmp_path / "out").mkdir()
    beside = write_export(export_assessments(judged, library, "qrels"), tmp_path / "out" / "official.qrels")
    about = json.loads(beside.read_text())
    assert beside.name == "official.qrels.about.json"
    assert about["fingerprint"] == library.fingerprint
    assert about["text_rule"] == library.text_rule
    assert about["assignments"] == [{"assignment": 1, "topic": "1", "assessor": "anna"}]
    assert read_assessments(tmp_path / "out").judged.height == 2  # what stands beside is no assessment


def test_an_export_to_a_stream_has_no_about_file(judged, library, tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    exported = export_assessments(judged, library, "qrels")
    assert write_export(exported, "-") is None
    assert capsysbinary.readouterr().out == exported.data
    assert not list(tmp_path.glob("*about*"))


def test_an_export_that_cannot_be_written_leaves_the_old_about_file(judged, library, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out.about.json").write_text("old")
    with pytest.raises(InputError, match="cannot be written"):
        write_export(export_assessments(judged, library, "qrels"), tmp_path / "out")
    assert sorted(path.name for path in tmp_path.glob("*out*")) == ["out", "out.about.json"]
    assert (tmp_path / "out.about.json").read_text() == "old"


def test_an_interrupt_waits_until_export_and_about_file_are_written(judged, library, tmp_path, monkeypatch):
    def interrupt(path, data, write=write_file):
        signal.raise_signal(signal.SIGINT)
        write(path, data)

    monkeypatch.setattr(assessment_export, "write_file", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_export(export_assessments(judged, library, "qrels"), tmp_path / "out")
    assert sorted(path.name for path in tmp_path.glob("*out*")) == ["out", "out.about.json"]


def test_an_export_saves_snapshots_of_the_states_it_folded(campaign, library):
    marks = [("apples", "highlight", {"spans": [[50, 50 + number]]}) for number in range(1, 9)]
    done = [("apples", "bep", {"position": 50}), ("apples", "validate", {}), ("pears", "validate", {})]
    say(campaign, library, 1, *marks, *done)
    first = export_assessments(campaign, library, "qrels")
    with campaign.read() as connection:
        assert {doc: folded.fresh for doc, folded in read_folded_states(connection, 1).items()} == {
            "apples": 0,
            "pears": 1,
        }
    assert export_assessments(campaign, library, "qrels").data == first.data
    with campaign.write() as connection:
        connection.execute(SNAPSHOTS.delete())
    assert export_assessments(campaign, library, "qrels").data == first.data


def test_documents_that_are_not_done_are_left_out_with_a_note(judged, library):
    with judged.write() as connection:
        reopening = Arrival("pears", "z", 0, library.find("pears").fingerprint, Event("reopen", {}))
        append_events(connection, library, [Submission(1, 1, (reopening,))])
    made = export_assessments(judged, library, "qrels")
    assert made.data == b"1 Q0 apples 30 67 10 6:20 30:10\n"
    assert made.notes == ("topic 1 of anna: 1 of 2 documents is not done and left out",)
    assert export_assessments(judged, library, "qrels", include_open=True).data.count(b"\n") == 2


def test_an_export_from_other_texts_is_refused(judged, library, other_texts):
    """Positions are valid only in the texts that were judged."""
    with pytest.raises(InputError, match=r"document apples of topic 1.*found a different text"):
        export_assessments(judged, other_texts, "qrels")
    with pytest.raises(InputError, match="a different text"), judged.write() as connection:
        hand_over(connection, "olga", 1, "ben", other_texts)
    assert export_assessments(judged, library, "qrels").data


def test_the_official_assignment_or_one_assessors_assignment_is_exported(judged, library):
    with judged.write() as connection:
        create_assignment(connection, "1", 2)
    say(judged, library, 2, ("apples", "validate", {}))
    assert b"apples 30" in export_assessments(judged, library, "qrels").data
    assert export_assessments(judged, library, "qrels", assessor="ben").data == b"1 Q0 apples 0 67\n"
    with judged.write() as connection:
        make_official(connection, 2)
    assert export_assessments(judged, library, "qrels").data == b"1 Q0 apples 0 67\n"
    with pytest.raises(InputError, match="wanted assignments of olga, found none"):
        export_assessments(judged, library, "qrels", assessor="olga")


def test_assignments_of_several_scales_are_not_mixed(judged, library):
    with judged.write() as connection:
        create_assignment(connection, "2", 2, "2003")
    with pytest.raises(InputError, match="assignments of several scales"):
        export_assessments(judged, library, "qrels")
    assert export_assessments(judged, library, "qrels", scale="2006").about["documents"] == 2
    assert export_assessments(judged, library, "qrels", topics=["1"]).about["documents"] == 2


def test_an_entry_point_on_the_scale_of_2005_is_kept_but_is_a_loss_in_its_file(campaign, library):
    with campaign.write() as connection:
        create_assignment(connection, "2", 1, "2005")
    say(campaign, library, 2, ("plums", "bep", {"position": 5}), ("plums", "validate", {}))
    with pytest.raises(InputError, match=r"beps\.position"):  # 2005 had no best entry points
        export_assessments(campaign, library, "inex2005", topics=["2"])
    lossy = export_assessments(campaign, library, "inex2005", topics=["2"], lossy=True)
    assert "beps.position (1 row)" in lossy.losses
    with campaign.read() as connection:
        assert read_states(connection, 2)["plums"].bep == 5


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
    made = export_assessments(store, library, "inex2005")
    assert made.losses == ()
    write_export(made, tmp_path / "2005.xml")
    again = read_assessments(tmp_path / "2005.xml")
    before, after = (resolve_assessments(part, collection) for part in (original, again))
    columns = {
        "judged": ["topic", "doc"],
        "highlights": ["topic", "doc", "start", "end"],
        "elements": ["topic", "doc", "path", "exhaustivity", "size", "rsize"],
    }
    for name, kept in columns.items():
        rows = [sorted(getattr(part, name).select(kept).rows()) for part in (before, after)]
        assert rows[0] == rows[1]
        assert rows[0]


def test_the_scale_of_2005_exports_exhaustivity_and_sizes(campaign, library, tmp_path):
    with campaign.write() as connection:
        create_assignment(connection, "2", 1, "2005")
    graded = {"/article[1]": "1", "/article[1]/sec[1]": "?"}
    say(
        campaign,
        library,
        2,
        ("plums", "highlight", {"spans": [[5, 12]]}),
        *(("plums", "grade", {"path": path, "grades": {"exhaustivity": e}}) for path, e in graded.items()),
        ("plums", "validate", {}),
    )
    made = export_assessments(campaign, library, "inex2005", topics=["2"])
    assert made.losses == ()
    write_export(made, tmp_path / "2005.xml")
    read = read_assessments(tmp_path / "2005.xml")
    assert read.scale == "2005"
    assert read.elements.select("path", "exhaustivity", "size", "rsize").rows() == [
        ("/article[1]", "1", 18, 7),
        ("/article[1]/sec[1]", "?", 13, 7),
        ("/article[1]/sec[1]/p[1]", "?", 13, 7),
    ]


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


def test_an_import_notes_what_it_cannot_store(campaign, library, tmp_path):
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


def two(campaign, library, first, second):
    """Store judgements of anna and ben for topic 1, with the given spans in each document."""
    with campaign.write() as connection:
        create_assignment(connection, "1", 2)
    for assignment, marks in ((1, first), (2, second)):
        events = []
        for doc, spans in marks.items():
            if spans:
                events += [(doc, "highlight", {"spans": spans}), (doc, "bep", {"position": spans[0][0]})]
            events.append((doc, "validate", {}))
        say(campaign, library, assignment, *events)
    with campaign.read() as connection:
        return [
            collect_assessments(
                connection, library, choose_assignments(connection, assessor=name)
            ).assessments
            for name in ("anna", "ben")
        ]


def test_agreement_in_characters_worked_by_hand(campaign, library):
    pair = two(campaign, library, {"apples": [[0, 20]], "pears": []}, {"apples": [[10, 40]], "pears": []})
    agreement = compare_assessors(*pair, library.collection)
    row = agreement.characters.filter(topic="1").row(0, named=True)
    # apples has 67 characters, pears 21: 10 marked by both, 10 only by anna, 20 only by ben, 48 by nobody
    assert (row["documents"], row["both"], row["only_one"], row["only_other"], row["neither"]) == (
        2,
        10,
        10,
        20,
        48,
    )
    assert row["shared"] == pytest.approx(10 / 40)
    assert row["f"] == pytest.approx(2 * 10 / (20 + 30))
    chance = (20 * 30 + 68 * 58) / 88**2
    assert row["kappa"] == pytest.approx((58 / 88 - chance) / (1 - chance))
    assert row["documents_kappa"] == 1.0
    assert row["bep_distance"] == 10.0
    assert agreement.characters.filter(topic="all").drop("topic").rows() == [tuple(row.values())[1:]]
    assert agreement.grades.height == 0
    assert agreement.documents.rows() == [
        ("1", "apples", 10, 10, 20, 27, 10.0, 0),
        ("1", "pears", 0, 0, 0, 21, None, 0),
    ]


def test_agreement_counts_documents_that_only_one_judged(campaign, library):
    pair = two(campaign, library, {"apples": [[0, 20]], "pears": []}, {"apples": [[0, 20]]})
    agreement = compare_assessors(*pair, library.collection)
    assert agreement.alone == (1, 0)
    row = agreement.characters.row(0, named=True)
    assert (row["documents"], row["shared"], row["kappa"]) == (1, 1.0, 1.0)
    assert math.isnan(row["documents_kappa"])


def test_agreement_per_grade(campaign, library):
    with campaign.write() as connection:
        create_assignment(connection, "2", 1, "2003")
        create_assignment(connection, "2", 2, "2003")
    paths = ["/article[1]", "/article[1]/title[1]", "/article[1]/sec[1]"]
    for assignment, grades in ((2, ["3", "1", "2"]), (3, ["3", "2", "2"])):
        events = [
            ("plums", "grade", {"path": path, "grades": {"exhaustivity": grade, "specificity": "1"}})
            for path, grade in zip(paths, grades, strict=True)
        ]
        say(campaign, library, assignment, *events, ("plums", "validate", {}))
    with campaign.read() as connection:
        pair = [
            collect_assessments(
                connection, library, choose_assignments(connection, assessor=name, scale="2003")
            ).assessments
            for name in ("anna", "ben")
        ]
    agreement = compare_assessors(*pair, library.collection)
    exhaustivity = agreement.grades.filter(name="exhaustivity")
    assert exhaustivity.select("grade", "one", "other", "both").rows() == [
        ("0", 0, 0, 0),
        ("1", 1, 0, 0),
        ("2", 1, 2, 1),
        ("3", 1, 1, 1),
    ]
    assert exhaustivity["agreement"].to_list()[1:] == pytest.approx([0.0, 2 / 3, 1.0])
    kappa = agreement.kappas.filter(name="exhaustivity").row(0, named=True)
    assert (kappa["elements"], kappa["agreement"]) == (3, pytest.approx(2 / 3))
    assert kappa["kappa"] == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))
    assert agreement.differing.rows() == [("2", "plums", "/article[1]/title[1]", "exhaustivity", "1", "2")]
    assert agreement.documents["differing"].to_list() == [1]


def test_agreement_needs_the_same_scale_and_common_documents(judged, library, tmp_path):
    with judged.read() as connection:
        assessments = collect_assessments(connection, library, choose_assignments(connection)).assessments
    (tmp_path / "q.txt").write_text("1 0 plums 2\n")
    with pytest.raises(InputError, match="wanted the same scale, found 2006 and documents"):
        compare_assessors(assessments, read_assessments(tmp_path / "q.txt"), library.collection)
    (tmp_path / "a.jsonl").write_text('{"topic": "1", "doc": "plums"}\n')
    with pytest.raises(InputError, match="documents that both judged"):
        compare_assessors(assessments, read_assessments(tmp_path / "a.jsonl"), library.collection)


def test_assessments_can_be_compared_with_a_file(judged, library, tmp_path):
    with judged.write() as connection:
        add_user(connection, "dan", "x")
    write_export(export_assessments(judged, library, "qrels"), tmp_path / "out.qrels")
    with judged.read() as connection:
        assessments = collect_assessments(connection, library, choose_assignments(connection)).assessments
    agreement = compare_assessors(assessments, read_assessments(tmp_path / "out.qrels"), library.collection)
    assert agreement.characters.filter(topic="all")["kappa"].to_list() == [1.0]
    write_assessments(assessments, tmp_path / "again.qrels", "qrels")


@pytest.fixture
def named(judged, library):
    """Topic 1 with a passage of two aspects, and a name that no passage holds."""
    say(
        judged,
        library,
        1,
        ("apples", "aspect", {"place": "7", "aspect": "colour"}),
        ("apples", "aspect", {"place": "6", "aspect": "taste"}),
        ("apples", "aspect", {"place": "28", "aspect": "nowhere"}),
        ("apples", "validate", {}),
    )
    return judged


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


def test_two_weights_of_one_aspect_are_refused(named, library):
    weights = (("6", "2"), ("8", "3"))
    events = [
        ("apples", "aspect", {"place": at, "aspect": "taste", "weight": weight}) for at, weight in weights
    ]
    say(named, library, 1, *events, ("apples", "validate", {}))
    with named.read() as connection, pytest.raises(InputError, match="one weight in all documents, found 2 "):
        collect_assessments(connection, library, list_assignments(connection, topic="1")[:1])


def test_a_format_without_aspects_highlights_text_of_two_aspects_once(named, library, tmp_path):
    with pytest.raises(InputError, match=r"highlights.aspect \(2 rows\)"):
        export_assessments(named, library, "qrels")
    write_export(export_assessments(named, library, "qrels", lossy=True), tmp_path / "out.qrels")
    read = read_assessments(tmp_path / "out.qrels")
    assert read.highlights.select("start", "end").rows() == [(6, 26), (30, 40)]


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
