"""Assessments restricted to the elements that match the structure of queries."""

import pytest

from assessments.small_assessments import assessed, rows
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.conforming_parts import select_conforming_parts
from doxel.assessments.listed_documents import lay_out_listed
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError
from doxel.topics.query_structure import Constraints, Structure
from doxel.topics.topics import Topic, Topics

# In both documents the text is "HeadoneMidtwo"; the paragraphs of a are from 4 to 7 and from 10 to 13.
SOURCES = {
    "a.xml": "<article><t>Head</t><p>one</p><t>Mid</t><p>two</p></article>",
    "b.xml": "<article><t>HeadoneMidtwo</t></article>",
}


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    ingest([str(folder)], str(folder / "c.doxel"))
    return read_collection(folder / "c.doxel")


def constrain(*castitles, support="vague"):
    topics = [Topic(str(number), castitle=castitle) for number, castitle in enumerate(castitles, 1)]
    return Constraints.of(Structure("strict", support), Topics.of(topics))


PARAGRAPHS = constrain("//p[about(., one)]")


def select(collection, constraints=PARAGRAPHS, **tables):
    resolved = resolve_assessments(assessed(**tables), collection)
    parts = select_conforming_parts(resolved, constraints, collection)
    return (
        parts.highlights.select("topic", "doc", "start", "end").rows(),
        parts.beps.select("topic", "doc", "position").rows(),
    )


def test_a_highlight_is_cut_into_its_parts_inside_matching_elements(collection):
    highlights, _ = select(collection, highlights=[rows(start=2, end=12)])
    assert highlights == [("1", "a", 4, 7), ("1", "a", 10, 12)]


def test_an_entry_point_is_inside_from_the_first_character_of_an_element_to_its_last(collection):
    positions = [3, 4, 6, 7, 10]
    _, beps = select(
        collection,
        beps=[rows(position=position) for position in positions],
    )
    assert [position for *_, position in beps] == [4, 6, 10]


def test_nothing_remains_of_a_document_without_matching_elements(collection):
    tables = {"highlights": [rows(doc="b", start=0, end=13)], "beps": [rows(doc="b", position=4)]}
    assert select(collection, **tables) == ([], [])


def test_the_documents_stay_judged(collection):
    resolved = resolve_assessments(assessed(highlights=[rows(doc="b", start=0, end=13)]), collection)
    parts = select_conforming_parts(resolved, PARAGRAPHS, collection)
    assert parts.judged.equals(resolved.judged)


def test_a_topic_without_structure_keeps_everything(collection):
    constraints = constrain("//p[about(., one)]", None)
    tables = {
        "highlights": [rows(start=0, end=13), rows(topic="2", start=0, end=13)],
        "beps": [rows(topic="2", position=0)],
    }
    assert select(collection, constraints, **tables) == (
        [("1", "a", 4, 7), ("1", "a", 10, 13), ("2", "a", 0, 13)],
        [("2", "a", 0)],
    )


def test_an_assessed_topic_without_a_known_query_is_an_error(collection):
    with pytest.raises(InputError, match=r"the query structure of 1 topic is unknown: .* found no topic 7"):
        select(collection, highlights=[rows(topic="7", start=0, end=13)])


def test_strict_support_needs_the_documents_themselves():
    element = rows(path="/article[1]", exhaustivity="1", size=13, rsize=3)
    listed, documents = lay_out_listed(assessed(elements=[element]))
    strict = constrain("//p[about(., one)]", support="strict")
    with pytest.raises(InputError, match=r"wanted a collection \(-c\)"):
        select_conforming_parts(listed, strict, documents)
    select_conforming_parts(listed, PARAGRAPHS, documents)
