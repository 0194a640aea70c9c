"""Marks of the results that match the structure of their topics."""

import pytest

from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError
from doxel.runs.conforming_results import find_conforming_results
from doxel.runs.result_spans import resolve_run
from doxel.topics.query_structure import Constraints, Structure
from doxel.topics.topics import Topic, Topics
from runs.small_runs import run_of

# The text of a is "onetwothree": sec from 0 to 6 with the paragraphs from 0 to 3 and to 6, then p to 11.
SOURCES = {
    "a.xml": "<article><sec><p>one</p><p>two</p></sec><p>three</p></article>",
    "b.xml": "<article><p>one</p></article>",
}
SEC, INNER, OUTER = "/article[1]/sec[1]", "/article[1]/sec[1]/p[2]", "/article[1]/p[1]"


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    ingest([str(folder)], str(folder / "c.doxel"))
    return read_collection(folder / "c.doxel")


def constrain(structure):
    topics = [Topic("1", castitle="//sec//p[about(., one)]"), Topic("2", title="one")]
    topics += [Topic("4", castitle="//article[about(.//sec, one)]//p")]
    return Constraints.of(Structure.parse(structure), Topics.of(topics))


def mark(collection, *results, structure="target=strict"):
    rows = [{"doc": "a", "rank": rank, **result} for rank, result in enumerate(results, 1)]
    resolved = resolve_run(run_of(*rows), collection)
    return find_conforming_results(resolved, constrain(structure), collection).to_list()


def test_an_element_matches_by_its_path_with_and_without_a_collection(collection):
    results = [{"path": path} for path in (INNER, SEC, OUTER)]
    assert mark(collection, *results) == [True, False, False]
    assert mark(None, *results) == [True, False, False]


def test_a_passage_matches_if_its_smallest_element_does(collection):
    spans = [(4, 5), (3, 6), (2, 4), (7, 9)]  # in a paragraph, all of it, across two, outside the section
    results = [{"start": start, "end": end} for start, end in spans]
    assert mark(collection, *results) == [True, True, False, False]


def test_an_entry_point_matches_if_the_element_around_it_does(collection):
    assert mark(collection, {"start": 4}, {"start": 8}) == [True, False]


def test_without_a_collection_only_elements_can_be_decided():
    results = [{"start": 4, "end": 5}, {"path": INNER, "path_end": OUTER}, {"path": INNER}]
    assert mark(None, *results) == [None, None, True]


def test_results_that_were_not_found_cannot_be_decided(collection):
    missing = [{"doc": "z", "path": INNER}, {"path": "/article[1]/p[9]"}]
    assert mark(collection, *missing) == [None, None]
    assert mark(collection, *missing, {"path": INNER}) == [None, None, True]


def test_a_topic_without_structure_accepts_everything_and_an_unknown_one_is_undecided(collection):
    results = [{"topic": topic, "path": OUTER} for topic in "123"]
    assert mark(collection, *results) == [False, True, None]
    assert mark(None, *results) == [False, True, None]


def test_a_vague_interpretation_accepts_everything():
    assert mark(None, {"doc": "z", "start": 4, "end": 5}, structure="VVCAS") == [True]


def test_strict_support_reads_the_documents(collection):
    # the condition of topic 4 asks for a section, which b does not have
    results = [{"topic": "4", "path": OUTER}, {"topic": "4", "doc": "b", "path": OUTER}]
    assert mark(collection, *results, structure="SVCAS") == [True, True]
    assert mark(collection, *results, structure="SSCAS") == [True, False]
    with pytest.raises(InputError, match=r"support=strict .* wanted a collection \(-c\)"):
        mark(None, *results, structure="SSCAS")
