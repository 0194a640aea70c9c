"""The list of documents has titles, first words and states, and can be searched, sorted and paged."""

import pytest

from assess.saying import say
from doxel.assess.document_styles import load_bundled_styles
from doxel.assess.office import document_list
from doxel.assess.office.document_list import DocumentFilter, read_document_page, summarise_documents
from doxel.assess.store.assignments import create_assignment, find_progress
from doxel.errors import InputError

STYLES = load_bundled_styles()


def page(store, library, **choice):
    with store.read() as connection:
        number = choice.pop("assignment", 1)
        assignment = find_progress(connection, number)
        return read_document_page(connection, library, STYLES, assignment, DocumentFilter(**choice))


def docs(store, library, **choice):
    return [row.doc for row in page(store, library, **choice).rows]


def states(store, library, **choice):
    return {row.doc: row.states for row in page(store, library, **choice).rows}


def test_titles_and_first_words(library):
    summaries = summarise_documents(library, STYLES, ["apples", "pears"])
    assert summaries["apples"].title == "Apples"
    assert summaries["apples"].words.startswith("Red apples are ripe.")
    assert summaries["pears"].title == "Pears"


def test_states_follow_the_work(campaign, library):
    assert states(campaign, library) == {"apples": ("open",), "pears": ("open",)}
    say(campaign, library, 1, ("apples", "highlight", {"spans": [[0, 6]]}))
    assert states(campaign, library)["apples"] == ("begun",)
    say(campaign, library, 1, ("apples", "bep", {"position": 0}), ("apples", "validate", {}))
    say(campaign, library, 1, ("pears", "validate", {}), ("pears", "note", {"text": "sweet"}))
    assert states(campaign, library) == {"apples": ("relevant",), "pears": ("not relevant", "noted")}
    say(campaign, library, 1, ("apples", "highlight", {"spans": [[8, 12]]}))
    assert states(campaign, library)["apples"] == ("begun",)
    say(
        campaign,
        library,
        1,
        ("apples", "unhighlight", {"spans": [[0, 20]]}),
        ("apples", "bep", {"position": None}),
        ("apples", "validate", {}),
    )
    assert states(campaign, library)["apples"] == ("not relevant",)
    assert dict(page(campaign, library).counts) == {"not relevant": 2, "noted": 1}


def test_a_grade_above_the_lowest_is_relevant(campaign, library):
    with campaign.write() as connection:
        number = create_assignment(connection, "2", 1, "2003")
    zero, relevant = ({"exhaustivity": value, "specificity": value} for value in ("0", "1"))
    say(campaign, library, number, ("plums", "grade", {"path": "/article[1]", "grades": zero}))
    say(campaign, library, number, ("plums", "validate", {}))
    assert states(campaign, library, assignment=number) == {"plums": ("not relevant",)}
    say(campaign, library, number, ("plums", "grade", {"path": "/article[1]", "grades": relevant}))
    say(campaign, library, number, ("plums", "validate", {}))
    assert states(campaign, library, assignment=number) == {"plums": ("relevant",)}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", ["apples", "pears"]),
        ("KEEP long", ["pears"]),
        ("appl", ["apples"]),
        ("apples pears", ["apples"]),
        ("  ", ["apples", "pears"]),
    ],
)
def test_search_in_names_titles_and_first_words(campaign, library, words, expected):
    assert docs(campaign, library, words=words) == expected


def test_filter_by_state(campaign, library):
    say(campaign, library, 1, ("pears", "validate", {}))
    assert docs(campaign, library, state="open") == ["apples"]
    assert docs(campaign, library, state="not relevant") == ["pears"]
    assert docs(campaign, library, state="flagged") == []
    assert page(campaign, library, state="flagged").documents == 2


def test_sorting(campaign, library):
    say(campaign, library, 1, ("apples", "validate", {}))
    assert docs(campaign, library, sorting="order") == ["apples", "pears"]
    assert docs(campaign, library, sorting="title") == ["apples", "pears"]
    assert docs(campaign, library, sorting="state") == ["pears", "apples"]


def test_pages(campaign, library, monkeypatch):
    monkeypatch.setattr(document_list, "PAGE_SIZE", 1)
    assert [docs(campaign, library, page=number) for number in (1, 2, 3, 0)] == [
        ["apples"],
        ["pears"],
        ["pears"],
        ["apples"],
    ]
    assert [row.place for row in page(campaign, library, page=2).rows] == [2]
    assert page(campaign, library, page=9).pages == 2


def test_the_next_document_is_the_one_at_which_the_assessor_stopped_or_the_next_that_is_not_done(
    campaign, library
):
    assert page(campaign, library).next_doc == "apples"
    say(campaign, library, 1, ("pears", "note", {"text": "later"}))
    assert page(campaign, library).next_doc == "pears"
    say(campaign, library, 1, ("pears", "validate", {}))
    assert page(campaign, library).next_doc == "apples"
    say(campaign, library, 1, ("pears", "reopen", {}))
    say(campaign, library, 1, ("apples", "validate", {}))
    assert page(campaign, library, words="apples").next_doc == "pears"
    say(campaign, library, 1, ("pears", "validate", {}))
    assert page(campaign, library).next_doc is None


@pytest.mark.parametrize("choice", [{"state": "done"}, {"sorting": "size"}])
def test_unknown_choices_are_refused(campaign, library, choice):
    with pytest.raises(InputError, match="wanted one of"):
        page(campaign, library, **choice)
