"""Export of assessments, in all formats and from both databases."""

import json
import signal

import pytest

from assess.saying import say
from doxel.assess.judging_events import Arrival, Event
from doxel.assess.office import assessment_export
from doxel.assess.office.administration import hand_over
from doxel.assess.office.assessment_export import (
    collect_assessments,
    export_assessments,
    write_export,
)
from doxel.assess.store.assignments import (
    create_assignment,
    list_assignments,
    make_official,
)
from doxel.assess.store.database_schema import SNAPSHOTS
from doxel.assess.store.event_log import read_folded_states, read_states
from doxel.assess.store.event_writer import Submission, append_events
from doxel.assessments import read_assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.errors import InputError
from doxel.files import write_file


@pytest.mark.parametrize("name", ["qrels", "jsonl", "inex2006", "web-annotation"])
def test_an_export_reads_back_as_the_highlights(judged, library, tmp_path, name):
    export = export_assessments(judged, library, name)
    assert export.losses == ()
    write_export(export, tmp_path / "out")
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
    export = export_assessments(judged, library, name, lossy=True)
    write_export(export, tmp_path / "out")
    assert read_assessments(tmp_path / "out", format=name).judged.height == 2


def test_an_export_names_text_rule_fingerprint_and_assignments(judged, library, tmp_path):
    (tmp_path / "out").mkdir()
    beside = write_export(export_assessments(judged, library, "qrels"), tmp_path / "out" / "official.qrels")
    about = json.loads(beside.read_text())
    assert beside.name == "official.qrels.about.json"
    assert about["fingerprint"] == library.fingerprint
    assert about["text_rule"] == library.text_rule
    assert about["assignments"] == [{"assignment": 1, "topic": "1", "assessor": "anna"}]
    assert read_assessments(tmp_path / "out").judged.height == 2  # without the about file


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
    export = export_assessments(judged, library, "qrels")
    assert export.data == b"1 Q0 apples 30 67 10 6:20 30:10\n"
    assert export.notes == ("topic 1 of anna: 1 of 2 documents is not done and left out",)
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
    export = export_assessments(campaign, library, "inex2005", topics=["2"])
    assert export.losses == ()
    write_export(export, tmp_path / "2005.xml")
    read = read_assessments(tmp_path / "2005.xml")
    assert read.scale == "2005"
    assert read.elements.select("path", "exhaustivity", "size", "rsize").rows() == [
        ("/article[1]", "1", 18, 7),
        ("/article[1]/sec[1]", "?", 13, 7),
        ("/article[1]/sec[1]/p[1]", "?", 13, 7),
    ]


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
