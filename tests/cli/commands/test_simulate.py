"""``doxel simulate``: runs of stereotypical systems."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from doxel.cli.main import cli
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.runs import read_run
from doxel.studies import SYSTEMS

MARKUP = """<article><head>one two</head><section><p>a b c d</p><p>e f <it>g h i</it></p></section>
<section><p>j k</p></section></article>"""


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    (folder / "d.xml").write_text(MARKUP, encoding="utf-8")
    ingest([str(folder / "d.xml")], str(folder / "collection"))
    return read_collection(folder / "collection")


def test_the_command_offers_every_system_and_writes_a_run(collection, tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"topic": "1", "doc": "d", "start": 7, "end": 14}\n')
    for system in SYSTEMS:
        output = tmp_path / f"{system}.xml"
        call = ["simulate", "-c", str(collection.folder), "-a", str(gold), "--system", system]
        outcome = CliRunner().invoke(cli, [*call, "-o", str(output), "--to", "inex-xml"])
        assert outcome.exit_code == 0, outcome.output
        assert read_run(output).id == system


def test_a_collection_without_the_relevant_documents_is_an_error(collection, tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"topic": "1", "doc": "elsewhere", "start": 7, "end": 14}\n')
    call = ["simulate", "-c", str(collection.folder), "-a", str(gold), "--system", "perfect"]
    outcome = CliRunner().invoke(cli, [*call, "-o", str(tmp_path / "run")])
    assert str(outcome.exception) == (
        "there is nothing to retrieve: wanted assessments of documents in the collection (-c) with relevant "
        "text, found none"
    )
    assert not (tmp_path / "run").exists()


def test_columns_that_the_format_cannot_represent_are_reported(collection, tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"topic": "1", "doc": "d", "start": 7, "end": 14}\n')
    call = ["simulate", "-c", str(collection.folder), "-a", str(gold), "--system", "perfect"]
    outcome = CliRunner().invoke(cli, [*call, "-o", str(tmp_path / "run"), "--to", "trec"])
    assert outcome.exit_code == 0
    assert "left out, because trec cannot represent it: results.path (" in outcome.stderr
    outcome = CliRunner().invoke(cli, [*call, "-o", str(tmp_path / "run"), "--to", "paths"])
    assert "left out" not in outcome.stderr
