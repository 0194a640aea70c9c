"""Topics and documents to show: the most telling first, with text in blocks and results."""

from __future__ import annotations

import polars as pl
import pytest

import doxel
from documents.commands import write_files
from doxel.errors import InputError
from doxel.evaluation.analysis.shown_documents import (
    cut_into_blocks,
    find_differing_topics,
    find_telling_documents,
    show_documents,
)
from doxel.evaluation.inputs.input_tables import as_assessments

ARTICLE = """<article>
 <title>Ships 🚢</title>
 <p>A <b>ship</b> sails on and on, before a wind that blows as it likes, until evening.</p>
 <table><row><cell>mast</cell><cell>three</cell></row><row><cell>sail</cell><cell>seven</cell></row></table>
 <note/>
</article>"""


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("shown"), {"source/ships.xml": ARTICLE})
    doxel.ingest(folder / "source", folder / "ships.doxel")
    return doxel.read_collection(folder / "ships.doxel")


def test_blocks_follow_block_level_elements(collection):
    document = collection["ships"]
    result = [
        (document.text[block.start : block.end].strip(), block.kind) for block in cut_into_blocks(document)
    ]
    assert result == [
        ("Ships 🚢", "heading"),
        ("A ship sails on and on, before a wind that blows as it likes, until evening.", "text"),
        ("mast", "short"),
        ("three", "short"),
        ("sail", "short"),
        ("seven", "short"),
    ]
    lines = [block.line for block in cut_into_blocks(document) if block.kind == "short"]
    assert lines[0] == lines[1] != lines[2] == lines[3]  # a row is a line


def test_blocks_contain_all_text_except_white_space(collection):
    document = collection["ships"]
    block_texts = "".join(document.text[block.start : block.end] for block in cut_into_blocks(document))
    assert "".join(block_texts.split()) == "".join(document.text.split())
    places = [place for block in cut_into_blocks(document) for place in (block.start, block.end)]
    assert places == sorted(places)


def evaluated(results, gold, collection=None):
    result = doxel.evaluate(results, gold, "char_rec@5", collection=collection, keep=10)
    return result.results


def test_a_document_is_shown_with_text_highlights_and_results(collection):
    text = collection["ships"].text
    start = text.index("wind")
    gold = [
        {"topic": "1", "doc": "ships", "start": start, "end": start + 4},
        {"topic": "1", "doc": "ships", "start": start + 2, "end": start + 10},
        {"topic": "1", "doc": "ships", "bep": start},
    ]
    results = evaluated([("1", "ships", start, start + 6)], gold, collection)
    (document,) = show_documents(results, as_assessments(gold), ["1"], collection=collection)
    assert document.text == text
    assert document.size == len(text)
    assert document.highlights == ((start, start + 10),)  # overlapping highlights are merged
    assert document.bep == start
    assert document.results.select("rank", "relevant").rows() == [(1, 6)]


def test_without_a_collection_the_size_is_the_furthest_known_offset():
    gold = [("1", "d", 10, 30)]
    (document,) = show_documents(evaluated([("1", "d", 5, 50)], gold), as_assessments(gold), ["1"])
    assert (document.text, document.size, document.blocks) == (None, 50, ())


def test_showing_an_unassessed_topic_raises_an_error():
    gold = [("1", "d", 10, 30)]
    with pytest.raises(InputError, match="a topic to show: wanted an assessed topic, found 2"):
        show_documents(evaluated([("1", "d", 5, 50)], gold), as_assessments(gold), ["2"])


def test_the_most_telling_topics_and_documents_come_first():
    scores = pl.DataFrame(
        {
            "run": ["a", "b", "a", "b", "a", "b"],
            "topic": ["1", "1", "2", "2", "3", "3"],
            "measure": "m",
            "score": [0.5, 0.5, 0.0, 1.0, 0.1, float("nan")],
        }
    )
    assert find_differing_topics(scores, "m", 2) == ["2", "1"]
    alone = scores.filter(run="a")
    assert find_differing_topics(alone, "m", 3) == ["2", "3", "1"]  # the topic with its worst score
    assert find_differing_topics(alone.with_columns(measure=pl.lit("read")), "read", 3) == ["1", "3", "2"]
    results = pl.DataFrame(
        {
            "run": ["a", "b", "a", "b"],
            "doc": ["both", "both", "one", "none"],
            "rank": [1, 1, 2, 2],
            "new_relevant": [50, 50, 20, 0],
        }
    )
    # found by both runs, by one run, by no run
    order = find_telling_documents(results, {"both": 60, "one": 30, "missed": 80}, 5)
    assert order == ["one", "missed", "both", "none"]
