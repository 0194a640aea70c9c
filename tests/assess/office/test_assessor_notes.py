"""Notes and flags of all assessors: the last of each document, flags first."""

from assess.saying import say
from doxel.assess.office.assessor_notes import list_notes
from doxel.assess.store.assignments import create_assignment


def test_the_last_note_and_flag_of_each_document_are_listed_flags_first(campaign, library):
    with campaign.write() as connection:
        create_assignment(connection, "2", 2)
    say(
        campaign,
        library,
        1,
        ("apples", "note", {"text": "first"}),
        ("apples", "note", {"text": "second"}),
        ("pears", "flag", {"flagged": True}),
        ("pears", "note", {"text": "is this text broken?"}),
    )
    say(campaign, library, 2, ("plums", "flag", {"flagged": True}), ("plums", "flag", {"flagged": False}))
    with campaign.read() as connection:
        notes = list_notes(connection)
        assert [(note.doc, note.assessor, note.text, note.flagged) for note in notes] == [
            ("pears", "anna", "is this text broken?", True),
            ("apples", "anna", "second", False),
        ]
        assert [note.doc for note in list_notes(connection, flagged_only=True)] == ["pears"]
        assert list_notes(connection, topics=["2"]) == []


def test_a_note_that_was_deleted_is_not_listed(campaign, library):
    say(campaign, library, 1, ("apples", "note", {"text": "first"}), ("apples", "note", {"text": " "}))
    with campaign.read() as connection:
        assert list_notes(connection) == []
