"""Tables of scores as CSV and LaTeX."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

from doxel.evaluation import evaluate
from doxel.evaluation.evaluation_result import select_rows
from doxel.reports.score_tables import SCORE_FORMATS, format_csv_table, format_run_comparisons, pivot
from reports.latex_checker import LatexError, read_tables

TOPICS = [str(number) for number in range(12)]
GOLD = [(topic, "d", 0, 100) for topic in TOPICS]
HOSTILE = r"a_b&c%$#{}~^\x [*]"


def evaluate_lengths(measures=("char_rec", "char_prec"), **lengths):
    """Return the scores of runs that return the first characters of a document, a few more in each topic."""
    runs = {
        name: [(topic, "d", 0, length + int(topic)) for topic in TOPICS] for name, length in lengths.items()
    }
    return evaluate(runs, GOLD, list(measures))


def read_comparison(result, **settings):
    measures = result.scores["measure"].unique(maintain_order=True)
    compared = [result.compare(measure, resamples=500, **settings) for measure in measures]
    ((header, *rows, note),) = read_tables(format_run_comparisons(compared))
    return header, rows, note[0]


def test_a_baseline_has_daggers_around_it():
    result = evaluate_lengths(**{HOSTILE: 50, "better": 80, "worse": 20, "equal": 50})
    header, rows, note = read_comparison(result, baseline=HOSTILE)
    assert header[0] == "run"
    means = dict(result.means.filter(measure="char_rec").select("run", "score").iter_rows())
    cells = {row[0]: row[1:3] for row in rows}
    assert rows[0][0] == "a_b&c%$#{}<textasciitilde><textasciicircum><textbackslash>x [*]"
    assert cells["better"] == [f"<textbf>{means['better']:.4f}", "<textsuperscript><dagger>"]
    assert cells["worse"] == [f"{means['worse']:.4f}", "<textsuperscript><ddagger>"]
    assert cells["equal"] == [f"{means['equal']:.4f}", ""]
    assert "<dagger> significantly better, <ddagger> significantly worse than a_b&c" in note
    assert "Means over 12 topics" in note
    assert "p <textless> 0.05" in note
    assert "family: each measure (3 pairs)" in note


def test_without_a_baseline_letters_name_the_runs_that_a_mean_exceeds():
    header, rows, note = read_comparison(evaluate_lengths(low=20, high=80, middle=50))
    assert header[:2] == ["", "run"]
    assert [row[:2] for row in rows] == [["a", "low"], ["b", "high"], ["c", "middle"]]
    assert [row[3] for row in rows] == ["", "<textsuperscript>ac", "<textsuperscript>a"]
    assert "A letter after a mean marks a run that it exceeds significantly." in note


def test_marks_are_of_corrected_p_values():
    topics = TOPICS[:6]
    gold = [(topic, "d", 0, 100) for topic in topics]
    sizes = {"a": 20, "b": 40, "c": 60, "d": 80}
    runs = {name: [(topic, "d", 0, size + int(topic)) for topic in topics] for name, size in sizes.items()}
    result = evaluate(runs, gold, ["char_rec"])
    compared = result.compare("char_rec", resamples=500)
    assert set(compared.pairs["p"]) == {2 / 64}  # the smallest p of six topics, below 0.05
    assert [row[3] for row in read_comparison(result)[1]] == [""] * 4  # after Holm's correction of six pairs
    marked = [row[3] for row in read_comparison(result, correction="none")[1]]
    assert marked == ["", "<textsuperscript>a", "<textsuperscript>ab", "<textsuperscript>abc"]


def test_tukey_gives_group_letters():
    header, rows, note = read_comparison(evaluate_lengths(low=20, high=80, other=80), test="tukey")
    assert header[0] == "run"
    assert [row[2] for row in rows] == ["<textsuperscript>b", "<textsuperscript>a", "<textsuperscript>a"]
    assert "Runs that share a letter do not differ significantly." in note
    assert "correction: by the test itself" in note


def test_the_lower_of_a_measure_of_cost_is_better_and_bold():
    direct = [(topic, "d", 0, 100) for topic in TOPICS]
    detour = [row for topic in TOPICS for row in ((topic, "d", 200, 300), (topic, "d", 0, 100))]
    result = evaluate({"direct": direct, "detour": detour}, GOLD, ["read(recall=0.1)"])
    _, rows, note = read_comparison(result, baseline="detour")
    assert rows[0][1].startswith("<textbf>")
    assert rows[0][2] == "<textsuperscript><dagger>"
    assert "Lower is better for read(recall=0.1)." in note


def test_a_run_that_a_measure_did_not_score_has_a_dash():
    whole = evaluate_lengths(a=20, b=80, c=50)
    compared = [whole.compare("char_rec"), whole.select_runs(["a", "b"]).compare("char_prec")]
    ((_, *rows, _),) = read_tables(format_run_comparisons(compared))
    assert rows[2][4:] == ["--", ""]


@pytest.mark.parametrize(
    "broken",
    [
        r"a_b & 1 \\",
        r"a & 1 & 2 \\",
        r"a & \textbf{1 \\",
        r"a & \dagger \\",
        r"a & \unknown{1} \\",
        "a & 1",
        "a & 1 \\\\\n[b] & 2 \\\\",
        r"a & 1% \\",
    ],
)
def test_the_reader_of_these_tests_refuses_what_latex_refuses(broken):
    with pytest.raises(LatexError):
        read_tables("\\begin{tabular}{lr}\n" + broken + "\n\\end{tabular}\n")


def test_the_tables_of_a_report_compile(report):
    for name in ("leaderboard.tex", "differences.tex"):
        assert read_tables((report / name).read_text("utf-8"))


def test_latex_is_escaped(report):
    for name in ("leaderboard.tex", "differences.tex"):
        text = (report / name).read_text("utf-8")
        escaped_name = r"{*}{[}a\_b\&c\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}x"
        assert escaped_name in text
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
        for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
            assert rule in text
        lines = [line for line in text.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
        separators = {len(re.findall(r"(?<!\\)&", line)) for line in lines}
        assert len(separators) == 1
        assert not re.search(
            r"\\\\\s*\n?\s*[\[*]", text
        )  # nothing that LaTeX would read as an argument of the line break
    assert r"\textless{}/script\textgreater{}" in (report / "leaderboard.tex").read_text("utf-8")


def test_null_is_empty_in_csv():
    table = pl.DataFrame({"name": ["=1+1", None], "share": [0.25, None], "count": [None, 3]})
    assert format_csv_table(table) == "name,share,count\n'=1+1,0.25,\n,,3\n"


class TestResiduals:
    """Residuals and ranges over assessors are columns of every format, after the score."""

    @pytest.fixture
    def result(self):
        run = [("1", "d", 0, 50), ("1", "z", 0, 50), ("2", "d", 0, 100)]
        return evaluate(
            {"mine": run}, GOLD[1:3], ["char_prec", "judged_chars"], residual=True, assessors=[GOLD[1:2]]
        )

    def test_long_formats_have_columns(self, result):
        for name, separator in (("tsv", "\t"), ("csv", ",")):
            header, prec, judged = SCORE_FORMATS[name](result, per_topic=False).splitlines()
            columns = ["run", "topic", "measure", "score", "residual", "assessors_low", "assessors_high"]
            assert header.split(separator) == columns
            assert prec.split(separator) == ["mine", "all", "char_prec", "0.75", "0.25", "0.75", "0.75"]
            assert judged.split(separator)[4] == "nan"

    def test_json_has_the_optimistic_score_too_and_null_without_residual(self, result):
        prec, judged = json.loads(SCORE_FORMATS["json"](result, per_topic=False))["scores"]
        assert (prec["score"], prec["optimistic"], prec["residual"]) == (0.75, 1.0, 0.25)
        assert (judged["optimistic"], judged["residual"]) == (None, None)

    def test_json_of_a_plain_evaluation_has_no_such_keys(self):
        (row,) = json.loads(SCORE_FORMATS["json"](evaluate(GOLD, GOLD, "char_prec"), per_topic=False))[
            "scores"
        ]
        assert list(row) == ["run", "topic", "measure", "score"]

    def test_a_table_has_a_column_beside_each_measure_with_residuals(self, result):
        header, rows = pivot(select_rows(result, per_topic=False))
        figures = ["residual", "assessors low", "assessors high"]
        assert header == ["run", "char_prec", *figures, "judged_chars", *figures[1:]]
        assert rows[0][:3] == ["mine", 0.75, 0.25]

    def test_the_layout_of_trec_eval_has_further_columns(self, result):
        line = SCORE_FORMATS["trec"](result, per_topic=False).splitlines()[1]
        assert line.split() == ["char_prec", "all", "0.7500", "0.2500", "0.7500", "0.7500"]

    def test_latex_marks_the_best_score_only(self):
        runs = {"a": [("1", "d", 0, 50)], "b": [("1", "d", 0, 50), ("1", "z", 0, 50)]}
        text = SCORE_FORMATS["latex"](evaluate(runs, GOLD[1:2], "char_prec", residual=True), per_topic=False)
        ((_, first, second),) = read_tables(text)
        assert first == ["a", "<textbf>1.0000", "0.0000"]
        assert second == ["b", "0.5000", "0.5000"]
