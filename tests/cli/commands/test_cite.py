"""``doxel cite`` prints the BibTeX of results of the command line."""

from __future__ import annotations

import pytest

from documents.commands import doxel, is_sentence, write_files
from measures.bibtex_checker import read_bibtex

FILES = {
    "gold.jsonl": '{"topic": "1", "doc": "a", "start": 0, "end": 100}\n',
    "a.jsonl": '{"topic": "1", "doc": "a", "start": 0, "end": 50, "rank": 1}\n',
}


@pytest.fixture
def files(tmp_path):
    return write_files(tmp_path, FILES)


@pytest.mark.parametrize("options", [(), ("-q",)], ids=["means", "per topic"])
def test_results_of_evaluate_can_be_cited(files, options):
    evaluated = ["-a", files / "gold.jsonl", "-m", "char_rec@5, span_RR", *options]
    assert doxel("evaluate", *evaluated, "-o", files / "result.json", files / "a.jsonl").status == 0
    outcome = doxel("cite", files / "result.json")
    assert (outcome.status, outcome.err) == (0, "")
    assert list(read_bibtex(outcome.out)) == ["doxel", "allan2004", "arvola2011", "voorhees1999"]
    doxel("cite", files / "result.json", "-o", files / "references.bib")
    assert (files / "references.bib").read_text() == outcome.out


def test_a_measure_without_a_known_source_is_noted(files):
    (files / "result.json").write_text('{"scores": [{"measure": "mine@5"}]}')
    outcome = doxel("cite", files / "result.json")
    assert outcome.status == 0
    assert "no source is known for mine@5: add its paper yourself" in outcome.messages[0]


def test_a_file_that_is_not_a_result_is_an_error(files):
    for name in ("gold.jsonl", "missing.json"):
        outcome = doxel("cite", files / name)
        assert outcome.status == 2
        assert name in outcome.messages[0]
        assert is_sentence(outcome.messages[0])
