"""``doxel compare``: tables with their settings, and the agreement of measures."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

from cli.structured_topics import options
from documents.commands import doxel, write_files
from reports.latex_checker import read_tables

GOLD = "".join(f'{{"topic": "{topic}", "doc": "d", "start": 0, "end": 100}}\n' for topic in range(8))


def run_lines(name: str, length: int) -> str:
    return "".join(f"{topic} Q0 d 1 1.0 {name} {topic} {length}\n" for topic in range(8))


@pytest.fixture
def files(tmp_path):
    contents = {"gold.jsonl": GOLD, "a.run": run_lines("a", 95), "b.run": run_lines("b", 40)}
    return write_files(tmp_path, {**contents, "c.run": run_lines("c", 150)})


def compare(files, *options):
    runs = [files / f"{name}.run" for name in "abc"]
    return doxel("compare", "-a", files / "gold.jsonl", "-m", "char_prec, char_rec", *options, *runs)


SETTINGS = {"topics": "8", "sides": "2", "correction": "bonferroni", "resamples": "500", "seed": "3"}
OPTIONS = ("--correction", "bonferroni", "--resamples", 500, "--seed", 3)


def test_every_tsv_row_contains_the_settings(files):
    outcome = compare(files, *OPTIONS)
    assert outcome.status == 0
    rows = list(csv.DictReader(io.StringIO(outcome.out), delimiter="\t"))
    assert len(rows) == 6  # three pairs, two measures
    for row in rows:
        assert {name: row[name] for name in SETTINGS} == SETTINGS
        assert row["test"].startswith("Fisher's sign-flip test")


def test_the_table_prints_the_settings(files):
    out = compare(files, *OPTIONS, "-f", "table", "--test", "wilcoxon").out
    for pair in SETTINGS.items():
        assert out.count(": ".join(pair)) == 2
    assert "topics without a difference left out" in out
    assert "Friedman p = " in out


def test_the_agreement_of_measures_is_shown(files):
    # precision ranks b a c, recall c a b: of three pairs none agrees
    out = compare(files, "-f", "table").out
    assert "agreement of measures" in out
    assert "-1.0000" in out
    content = json.loads(compare(files, "-f", "json").out)
    assert (content[0]["schema"], content[0]["warnings"]) == (2, [])
    assert [row["tau"] for row in content[-1]["agreement"]] == [-1, -1]
    assert content[0]["settings"]["sides"] == 2


def test_json_has_null_for_nan_and_infinity(files):
    # every topic differs by the same: d is infinite, which JSON cannot say
    (files / "b.run").write_text(run_lines("b", 90).replace(" 90\n", " 80\n"))
    (files / "a.run").write_text("".join(f"{topic} Q0 d 1 1.0 a 0 100\n" for topic in range(8)))
    outcome = compare(files, "-f", "json")
    json.loads(outcome.out, parse_constant=pytest.fail)


@pytest.mark.parametrize("layout", ["table", "json"])
def test_without_scipy_runs_are_still_compared(files, monkeypatch, layout):
    monkeypatch.setitem(sys.modules, "scipy", None)
    outcome = compare(files, *OPTIONS, "-f", layout)
    assert outcome.status == 0
    assert outcome.err.count("Friedman's test needs an optional dependency") == 1
    assert 'pip install "doxel[stats]"' in outcome.err
    assert "Friedman p" not in outcome.out


@pytest.mark.parametrize(("test", "name"), [("t", "the t test"), ("wilcoxon", "Wilcoxon's test")])
def test_tests_that_need_scipy_name_the_extra(files, monkeypatch, test, name):
    monkeypatch.setitem(sys.modules, "scipy", None)
    outcome = compare(files, "--test", test)
    assert outcome.status == 2
    assert outcome.messages == [f'doxel: {name} needs an optional dependency: pip install "doxel[stats]"']


def test_runs_are_compared_by_the_other_measures_if_one_rejects_them(files):
    (files / "b.run").write_text(run_lines("b", 40) + run_lines("b", 60).replace(" 1 1.0", " 2 0.5"))
    (files / "c.run").write_text((files / "b.run").read_text().replace(" b ", " c "))
    outcome = compare(files, "-m", "MAiP")
    assert outcome.status == 1
    assert {row["measure"] for row in csv.DictReader(io.StringIO(outcome.out), delimiter="\t")} == {
        "char_prec",
        "char_rec",
    }
    assert "doxel: b: MAiP not computed: results overlap earlier ones" in outcome.err
    assert (
        "doxel: MAiP was left out: a comparison: wanted at least two runs with scores, found 1" in outcome.err
    )


def test_the_reason_why_only_one_run_has_scores_is_printed(files):
    (files / "b.run").write_text(run_lines("b", 40).replace(" d ", " other "))
    (files / "c.run").write_text(run_lines("c", 40).replace(" d ", " another "))
    outcome = compare(files)
    assert outcome.status == 2
    assert "doxel: b: skipped: none of its documents is in the assessments" in outcome.err
    assert outcome.messages[-1] == "doxel: a comparison: wanted at least two runs with scores, found 1"


def test_a_single_run_is_rejected_before_the_assessments_are_read(files):
    outcome = doxel("compare", "-a", files / "nowhere", files / "a.run")
    assert (outcome.status, outcome.messages) == (
        2,
        ["doxel: nothing to compare: wanted two runs or more, found one"],
    )


def test_a_baseline_that_is_a_file_is_rejected_with_the_id_of_its_run(files):
    outcome = compare(files, "--baseline", files / "a.run")
    assert outcome.status == 2
    assert outcome.messages == [
        f"doxel: the baseline: wanted the id of a run, 'a', found {str(files / 'a.run')!r}"
    ]


def test_nothing_to_compare_is_an_error(files):
    outcome = compare(files, "--baseline", "z")
    assert outcome.status == 2
    assert "the baseline: wanted one of a, b, c, found 'z'" in outcome.err
    (files / "gold.jsonl").write_text('{"topic": "x", "doc": "d", "start": 0, "end": 100}\n')
    outcome = compare(files, "--topics", "run")
    assert outcome.status == 1
    assert "no run was scored; a: none of its topics was assessed" in outcome.err
    outcome = compare(files, "--topics", "run", "--on-mismatch", "score")
    assert outcome.status == 2
    assert "nothing to compare: no run has a score" in outcome.err


def test_compare_accepts_structure(structured):
    measure = 'nxCG(task="thorough")@1'
    outcome = doxel(
        "compare",
        *options(structured),
        "--structure",
        "SVCAS",
        "-m",
        measure,
        "-f",
        "json",
        structured / "a.run",
        structured / "b.run",
    )
    means = json.loads(outcome.out)[0]["means"]
    assert [row["score"] if "score" in row else row["mean"] for row in means] == [0.0, 1.0]


def test_the_interval_and_the_family_are_named(files):
    settings = json.loads(compare(files, "-f", "json").out)[0]["settings"]
    assert settings["interval"] == "95% percentile bootstrap of topics"
    assert settings["family"] == "each measure (3 pairs)"
    assert settings["topics nobody answered"] == 0
    joint = json.loads(compare(files, "-f", "json", "--family", "all").out)[0]["settings"]
    assert joint["family"] == "all measures (6 pairs of 2 measures)"


def test_the_family_of_all_measures_corrects_over_all_their_pairs(files):
    """Bonferroni: p times 6 instead of 3, at most 1."""
    options = ("-f", "json", "--correction", "bonferroni")
    for single, joint in zip(
        json.loads(compare(files, *options).out)[:2],
        json.loads(compare(files, *options, "--family", "all").out)[:2],
        strict=True,
    ):
        for pair, corrected in zip(single["pairs"], joint["pairs"], strict=True):
            assert corrected["p"] == pair["p"]
            assert pair["p_adjusted"] == pytest.approx(min(3 * pair["p"], 1))
            assert corrected["p_adjusted"] == pytest.approx(min(6 * pair["p"], 1))


def test_tukey_corrects_each_measure_by_itself(files):
    outcome = compare(files, "--family", "all", "--test", "tukey")
    assert (outcome.status, "wanted a test of pairs, found tukey" in outcome.err) == (2, True)


def test_topics_that_nobody_answered_are_counted_and_explained(files):
    with (files / "gold.jsonl").open("a") as stream:
        stream.write('{"topic": "8", "doc": "d", "start": 0, "end": 5}\n' * 1)
    outcome = compare(files, "-f", "json")
    comparison = json.loads(outcome.out)[0]
    assert (comparison["settings"]["topics"], comparison["settings"]["topics nobody answered"]) == (9, 1)
    (note,) = [warning for warning in comparison["warnings"] if warning["code"] == "S119"]
    assert note["sentence"].startswith("1 topic has no results in any run: each counts as a tie")
    assert (note["topics"], note["effect"]) == (1, "none")
    assert outcome.err.count("1 topic has no results in any run") == 1
    assert "topics nobody answered: 1" in compare(files, "-f", "table").out
    answered = compare(files, "-f", "json", "--topics", "run")
    assert json.loads(answered.out)[0]["settings"]["topics nobody answered"] == 0
    assert "no results in any run" not in answered.err


def test_latex_is_one_table_of_all_measures(files):
    outcome = compare(files, "-f", "latex", "--baseline", "a", *OPTIONS)
    assert outcome.status == 0
    ((header, *rows, note),) = read_tables(outcome.out)
    assert len(header) == 3
    assert [row[0] for row in rows] == ["a", "b", "c"]
    assert "correction: bonferroni" in note[0]
    assert "seed: 3" in note[0]


def test_a_picture_of_the_means_can_be_written(files):
    outcome = compare(files, "--plot", files / "means.svg", "--runs", "best:2", "--width", "two")
    assert outcome.status == 0
    assert "means.svg: means of 2 runs by char_prec" in outcome.err
    content = (files / "means.svg").read_bytes()
    assert content.startswith(b"<?xml")
    assert b'width="504pt"' in content  # 7 inches
    outcome = compare(files, "--plot", files / "means.gif")
    assert outcome.status == 2
    assert "wanted a file that ends in .svg, .png or .pdf" in outcome.err
    assert compare(files, "--plot", files / "means.svg", "--runs", "x").status == 2
    assert "--runs: wanted --plot FILE as well" in compare(files, "--runs", "best:2").err
