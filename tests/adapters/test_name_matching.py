"""The names of documents and questions, matched with those of collection and gold."""

import polars as pl
import pytest

from doxel.adapters.name_matching import KnownNames, match_documents, match_topics
from doxel.documents.collection import TextCollection
from doxel.errors import InputError

RANDOM = "0e3b8a5e-9f0b-4c7e-8d57-1f6ac0a5b0a1"
HASH = "9f" * 32


def match(names, ids, *, complete=True):
    """Return the ids of documents with these names, in a collection or in gold with these ids."""
    known_names = (
        KnownNames.of(TextCollection(dict.fromkeys(ids, "text"))) if complete else KnownNames.of(None, ids)
    )
    frame = pl.DataFrame({"names": pl.Series(names, dtype=pl.List(pl.String)), "doc": "first"})
    return match_documents(frame, known_names, "run 'a'")["doc"].to_list()


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("notes", "notes"),
        ("notes.txt", "notes.txt"),
        ("/data/notes.txt", "notes.txt"),
        ("data/notes.txt", "/home/me/data/notes.txt"),
        ("C:\\data\\notes.txt", "notes.txt"),
        ("file:///data/notes.txt", "notes.txt"),
        ("./notes.txt", "notes.txt"),
        ("notes.pdf", "notes"),
        ("/data/notes.pdf", "notes"),
        ("notes", "notes.pdf"),
        ("notes.txt", "notes"),
        ("sub/notes.html", "sub/notes"),
    ],
)
def test_a_name_is_matched_exactly_then_by_path_end_then_by_stem(name, known, complete):
    assert match([[name]], [known, "other"], complete=complete) == [known]


@pytest.mark.parametrize("name", ["notes.md", "mynotes.txt", "note", "notes.txt.bak", "other/notes.txt", ""])
def test_other_names_stay_as_they_are(name):
    assert match([[name]], ["sub/notes.txt"]) == [name or None]


@pytest.mark.parametrize(
    "docs", [["a.md", None, "b.md", "a.md"], ["a.md", "", "x.md"], ["x.md"], ["/d/a.md"]]
)
def test_ids_are_matched_like_names(docs):
    known_names = KnownNames.of(TextCollection({"a.md": "text", "b.md": "text"}))
    ids = match_documents(pl.DataFrame({"doc": docs}), known_names, "run 'a'")["doc"].to_list()
    assert ids == [{"": None, "/d/a.md": "a.md"}.get(doc, doc) for doc in docs]


def test_the_first_name_that_is_known_counts():
    assert match([[RANDOM, "/d/a.md", "a.md"]], ["a.md", "b.md"]) == ["a.md"]
    assert match([[RANDOM, "readme.md", "/x/b/readme.md"]], ["a/readme.md", "b/readme.md"]) == ["b/readme.md"]
    assert match([[RANDOM], [HASH, "x.md"], []], ["a.md"]) == [RANDOM, "x.md", None]


def test_the_longest_of_several_path_ends_counts():
    assert match([["/x/a/notes.txt"]], ["notes.txt", "a/notes.txt"]) == ["a/notes.txt"]


@pytest.mark.parametrize("complete", [True, False])
def test_a_name_that_fits_several_documents_is_an_error(complete):
    with pytest.raises(InputError) as error:
        match([["notes.txt"]], ["a/notes.txt", "b/notes.txt"], complete=complete)
    assert str(error.value) == (
        "run 'a', document 'notes.txt': wanted a name that matches one document, "
        "found 2 documents: a/notes.txt, b/notes.txt"
    )
    with pytest.raises(InputError, match=r"found 2 documents: notes\.odt, notes\.docx"):
        match([["notes"]], ["notes.odt", "notes.docx"], complete=complete)


def test_two_files_do_not_become_one_document():
    with pytest.raises(
        InputError, match=r"one document that matches 'notes\.txt', found '/a/notes\.txt' and '/b/n"
    ):
        match([["/a/notes.txt"], ["/b/notes.txt"]], ["notes.txt"])
    assert match([["/a/notes.txt"], ["a/notes.txt"], ["notes.txt"]], ["notes.txt"]) == ["notes.txt"] * 3


def test_unjudged_documents_stay_apart_if_gold_and_run_share_ids():
    assert match([["notes.txt"], ["x/other.txt"]], ["notes.txt", "other.txt"], complete=False) == [
        "notes.txt",
        "x/other.txt",
    ]


QUESTIONS = {"1": "Why  did it\nfail?", "2": "Who was hurt?"}


def topics(names, known_names=None, **more):
    known_names = known_names or KnownNames.of(None, (), ["1", "2"], QUESTIONS)
    frame = pl.DataFrame({"topic": names, **more})
    return match_topics(frame, known_names, "run 'a'")["topic"].to_list()


def test_a_question_is_named_by_its_id_or_its_text():
    assert topics(["1", "2"]) == ["1", "2"]
    assert topics(["Why did it fail?", "Who was hurt?", "else"]) == ["1", "2", "else"]
    assert topics(["q7", "q8"], question=["Why did it fail?", "else"]) == ["1", "q8"]
    assert topics(["1", "q8"], question=["Who was hurt?", "else"]) == ["1", "q8"]


def test_questions_counted_from_0_are_an_error():
    with pytest.raises(
        InputError, match="run 'a': wanted the questions by their text, or by their number from 1"
    ):
        topics(["0", "1"])


def test_results_without_questions_are_those_of_the_gold_in_its_order():
    known_names = KnownNames.of(None, (), ["b", "a"])
    frame = pl.DataFrame({"topic": ["1", "2", "2"]})
    assert match_topics(frame, known_names, "run 'a'", positions=2)["topic"].to_list() == ["b", "a", "a"]
    with pytest.raises(InputError, match=r"run 'a': wanted results for 2 questions, .*, found results for 3"):
        match_topics(frame, known_names, "run 'a'", positions=3)
