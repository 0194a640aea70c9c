"""The BibTeX of a result: its measures, the software, versions and checksums."""

from __future__ import annotations

import hashlib
import json

import pytest

from doxel._version import __version__
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.evaluation.analysis.result_citation import cite_content, cite_saved_result
from measures.bibtex_checker import read_bibtex

RUN = '{"topic": "1", "doc": "a", "start": 0, "end": 50, "rank": 1, "run": "x@y"}\n'
GOLD = '{"topic": "1", "doc": "a", "start": 0, "end": 100}\n'


@pytest.fixture
def files(tmp_path):
    (tmp_path / "me@work.jsonl").write_text(RUN)
    (tmp_path / "gold.jsonl").write_text(GOLD)
    return tmp_path


@pytest.fixture
def result(files):
    return evaluate([files / "me@work.jsonl"], files / "gold.jsonl", ["char_rec@5", "span_RR", "char_prec@5"])


def test_a_saved_result_cites_its_measures_the_software_and_its_files(result, files):
    result.save(files / "result.json")
    citation = cite_saved_result(files / "result.json")
    entries = read_bibtex(citation.bibtex)
    assert list(entries) == ["doxel", "allan2004", "arvola2011", "voorhees1999"]
    assert citation.unknown == ()
    digest = hashlib.sha256((files / "result.json").read_bytes()).hexdigest()
    assert entries["doxel"]["sha256"] == digest
    assert entries["doxel"]["note"] == f"Version {__version__}"
    comments = citation.bibtex.partition("@")[0]
    assert f"result: result.json, sha256 {digest}" in comments
    for content in (RUN, GOLD):
        assert hashlib.sha256(content.encode()).hexdigest() in comments
    assert "me at work.jsonl" in comments  # BibTeX would read an entry after an @
    assert f"fingerprint of the assessments: {result.inputs.fingerprints.assessments}" in comments
    assert comments.count("char_rec: allan2004, arvola2011") == 1


def test_a_result_in_memory_gives_the_same_entries(result, files):
    result.save(files / "result.json")
    saved = read_bibtex(cite_saved_result(files / "result.json").bibtex)
    del saved["doxel"]["sha256"]
    assert read_bibtex(result.cite()) == saved


def test_the_version_is_that_of_the_doxel_that_computed_the_scores():
    content = {"scores": [{"measure": "MAiP"}], "versions": {"doxel": "0.9.1", "polars": "1.2"}}
    citation = cite_content(content)
    assert read_bibtex(citation.bibtex)["doxel"]["note"] == "Version 0.9.1"
    assert citation.bibtex.startswith("% Scores by doxel 0.9.1, polars 1.2\n")


def test_a_measure_without_a_known_source_is_named():
    citation = cite_content({"scores": [{"measure": "mine@5"}, {"measure": "MAiP"}]})
    assert citation.unknown == ("mine@5",)
    assert "% mine at 5: no source is known\n" in citation.bibtex
    assert list(read_bibtex(citation.bibtex)) == ["doxel", "kamps2008"]


def test_figures_of_campaigns_and_of_other_tools_have_their_sources():
    figures = {"scores": [{"measure": "genomics_passage2"}, {"measure": "evidence_F1"}]}
    assert list(read_bibtex(cite_content(figures).bibtex)) == ["doxel", "hersh2007", "dasigi2021"]
    other = {"scores": [{"measure": "ndcg_cut_10"}], "parameters": {"compat": "trec_eval"}}
    assert list(read_bibtex(cite_content(other).bibtex)) == ["doxel", "treceval"]
    assert cite_content({"scores": [{"measure": "ndcg_cut_10"}]}).unknown == ("ndcg_cut_10",)


@pytest.mark.parametrize(
    "content", [{"scores": []}, {"scores": 3}, {"scores": [{"measure": "MAiP"}], "versions": [1]}]
)
def test_a_file_that_is_no_result_is_an_error(tmp_path, content):
    (tmp_path / "result.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"result\.json"):
        cite_saved_result(tmp_path / "result.json")
