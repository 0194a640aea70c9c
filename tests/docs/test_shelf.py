"""The commands of the page about public collections, on real files and on files with official figures."""

from __future__ import annotations

import gzip
import re

import pytest
from pagemaker.examples import ROOT, Example, examples

PAGE = (ROOT / "docs" / "shelf.md").read_text("utf-8")

# The files of a section of the page, each with the one of the shared data that takes its place.
FILES = {
    "inex": {
        "inex/adhoc.qrels": "inex-adhoc-2009-2010/inex-adhoc-2009-2010.qrels",
        "inex/mine.run": "inex-adhoc-2009-2010/bert_inex_converted_1.run.gz",
    },
    "scifact": {
        "scifact/corpus.jsonl": "living/doors/beir/corpus.jsonl",
        "scifact/qrels/test.tsv": "living/doors/beir/qrels/test.tsv",
        "bm25.run": "living/doors/beir.run.trec",
    },
    "msmarco": {
        "msmarco/qrels.dev.tsv": "living/doors/msmarco.qrels.tsv",
        "msmarco/run.dev.tsv": "living/doors/msmarco.run.tsv",
    },
    "genomics": {
        "genomics/gold.tsv": "living/genomics/tiny.gold.tsv",
        "genomics/mine.run": "living/genomics/tiny.run.txt",
    },
    "qasper": {
        "qasper/dev.json": "living/qasper/gold.json",
        "qasper/predictions.jsonl": "living/qasper/predictions.jsonl",
    },
    "squad": {"squad/dev.json": "living/doors/squad-v2.json"},
}


@pytest.fixture
def run_section(shared_data, tmp_path):
    """A function that runs the commands of a section on the shared files and returns what they print."""

    def run(name: str) -> dict[str, str]:
        for target, source in FILES[name].items():
            data = (shared_data / source).read_bytes()
            path = tmp_path / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.decompress(data) if source.endswith(".gz") else data)
        printed: dict[str, str] = {}
        for example in examples(PAGE):
            is_complete = isinstance(example, Example) and all(
                (tmp_path / word).exists()
                for word in re.findall(r"\S+\.(?:qrels|tsv|run|jsonl?|txt)\b", example.code)
            )
            if is_complete and f"{name}/" in example.code:
                status, output = example.run(tmp_path)
                assert status in {0, 1}, output
                printed[example.code] = output
        return printed

    return run


def find_output(printed, words):
    return next(output for code, output in printed.items() if words in code)


def test_inex_prints_the_official_figures(run_section, shared_data):
    printed = run_section("inex")
    official = (shared_data / "inex-adhoc-2009-2010/expected/bert1.f.q.c.txt").read_text("utf-8")
    means = [line for line in official.splitlines() if "\tall\t" in line]
    lines = find_output(printed, "--compat inex_eval").splitlines()
    assert [line for line in lines if "\tall\t" in line] == means
    maip = float(next(line.split()[-1] for line in means if line.startswith("MAiP")))
    assert f"{maip:.4f}" in find_output(printed, "-m inex2009-focused")


@pytest.mark.parametrize(
    ("section", "words", "expected", "of_set", "measures"),
    [
        ("scifact", "bm25.run", "living/doors", "trec_eval", ["ndcg_cut_10", "recall_10"]),
        ("msmarco", "RR@10", "living/doors", "msmarco-passage", ["MRR @10"]),
        (
            "genomics",
            "genomics2007",
            "living/genomics",
            "2007",
            ["DOCUMENT", "PASSAGE", "ASPECT", "PASSAGE2"],
        ),
        ("qasper", "-m qasper", "living/qasper", "qasper", ["Evidence F1"]),
    ],
)
@pytest.mark.integration
def test_other_collections_print_the_figures_of_their_programs(
    run_section, shared_data, section, words, expected, of_set, measures
):
    run = list(FILES[section].values())[-1].removeprefix(f"{expected}/")
    rows = [line.split("\t") for line in (shared_data / expected / "expected.txt").read_text().splitlines()]
    figures = {row[4]: float(row[5]) for row in rows if row[1:4] == [run, of_set, "all"]}
    printed = find_output(run_section(section), words)
    for measure in measures:
        assert f"{figures[measure]:.4f}" in printed


@pytest.mark.integration
def test_chunkings_of_contexts_are_compared(run_section):
    printed = find_output(run_section("squad"), "doxel chunks")
    assert "sentences:1" in printed
