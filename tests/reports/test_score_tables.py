"""Tables of scores as CSV and LaTeX."""

from __future__ import annotations

import re

import polars as pl

from doxel.reports.score_tables import format_csv_table


def test_latex_is_escaped(report):
    for name in ("leaderboard.tex", "differences.tex"):
        text = (report / name).read_text("utf-8")
        shown = r"{*}{[}a\_b\&c\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}x"
        assert shown in text
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
