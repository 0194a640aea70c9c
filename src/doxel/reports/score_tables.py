"""Formats scores as text: tsv, csv, json, trec, LaTeX, and rows for a terminal table.

The LaTeX tables of reports use booktabs, escape all text, and end with a note on the settings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from doxel.evaluation import Evaluation
from doxel.evaluation.evaluation_result import MORE_COLUMNS, select_rows
from doxel.evaluation.evaluation_warnings import describe_unequal_topics
from doxel.evaluation.saved_results import describe_result
from doxel.measures.measure_table import find_best_score, lower_is_better
from doxel.statistics.multiple_comparisons import shorten_letters, write_letter
from doxel.wording import escape_unprintable, put_on_one_line
from doxel.wording import format_json as format_safe_json

if TYPE_CHECKING:  # only for types: evaluations need no tests
    from doxel.evaluation.analysis.run_comparison import Comparison

__all__ = [
    "SCORE_FORMATS",
    "format_comparison",
    "format_csv_table",
    "format_leaderboard",
    "format_run_comparisons",
    "format_tsv_lines",
    "format_tsv_table",
    "pivot",
]


def pivot(table: pl.DataFrame) -> tuple[list[str], list[list[object]]]:
    """Return a header and lines with one column per measure, and a topic column if there are several.

    The column of a measure is followed by its residuals and ranges over assessors, if the table has them.
    """
    table = _drop_optimistic(table)
    by_topic = table["topic"].n_unique() > 1
    keys = ["run", "topic"] if by_topic else ["run"]
    figures = table.columns[3:]
    columns = [
        (measure, place)
        for (measure,), rows in table.partition_by("measure", as_dict=True, maintain_order=True).items()
        for place, name in enumerate(figures)
        if name == "score" or rows[name].fill_nan(None).null_count() < rows.height
    ]
    lines: dict[tuple[str, ...], dict[tuple[object, int], float | None]] = {}
    for run, topic, measure, *values in table.iter_rows():
        line = lines.setdefault((run, topic) if by_topic else (run,), {})
        line.update({(measure, place): value for place, value in enumerate(values)})
    header = [str(measure) if place == 0 else _label_figure(figures[place]) for measure, place in columns]
    return [*keys, *header], [
        [*key, *(values.get(column) for column in columns)] for key, values in lines.items()
    ]


def _drop_optimistic(table: pl.DataFrame) -> pl.DataFrame:
    """Return rows without the optimistic score, which is the sum of score and residual."""
    return table.drop("optimistic", strict=False).with_columns(cs.float().fill_null(float("nan")))


def _label_figure(name: str) -> str:
    return name.replace("_", " ")


def _join_columns(table: pl.DataFrame, separator: str, quote: Callable[[str], str]) -> str:
    table = _drop_optimistic(table)
    lines = [separator.join(table.columns)]
    for run, topic, measure, *figures in table.iter_rows():
        numbers = [repr(float(figure)) for figure in figures]
        lines.append(separator.join([quote(run), quote(topic), quote(measure), *numbers]))
    return "\n".join(lines) + "\n"


def format_tsv(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return tab-separated scores with full precision."""
    return _join_columns(select_rows(evaluation, per_topic=per_topic), "\t", put_on_one_line)


def format_tsv_lines(table: pl.DataFrame) -> list[str]:
    """Return rows as lines of :func:`format_tsv`, without a header."""
    return _join_columns(table, "\t", put_on_one_line).splitlines()[1:]


def format_csv(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return comma-separated scores; text that a spreadsheet would run as a formula is escaped."""
    return _join_columns(select_rows(evaluation, per_topic=per_topic), ",", _format_csv_field)


def format_csv_table(table: pl.DataFrame) -> str:
    """Return any table as CSV with full precision; formulas are escaped, nulls are empty."""
    columns = [_format_csv_column(column) for column in table.iter_columns()]
    lines = [",".join(table.columns), *map(",".join, zip(*columns, strict=True))]
    return "\n".join(lines) + "\n"


def _format_csv_column(column: pl.Series) -> list[str]:
    """Return the fields of a column; each distinct text is escaped once."""
    if column.dtype != pl.String:
        return ["" if value is None else _format_csv_field(value) for value in column.to_list()]
    fields = {value: _format_csv_field(value or "") for value in column.unique()}
    return [fields[value] for value in column.to_list()]


def format_tsv_table(table: pl.DataFrame, *, header: bool = True) -> str:
    """Return any table as tab-separated text, with full precision; control characters are escaped."""
    texts = [name for name, dtype in table.schema.items() if dtype == pl.String]
    safe = table.with_columns(
        pl.col(name).map_elements(put_on_one_line, return_dtype=pl.String) for name in texts
    )
    return safe.write_csv(separator="\t", include_header=header)


def _format_csv_field(value: object) -> str:
    """Return a value as a CSV field; text that a spreadsheet would run as a formula is escaped."""
    if not isinstance(value, str):
        return repr(value)
    text = escape_unprintable(value)
    safe = f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
    return '"' + safe.replace('"', '""') + '"' if set(safe) & set(',"\r\n') else safe


def format_json(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return scores, counts, rejections and warnings as JSON; an undefined score is null."""
    rendered = format_safe_json(describe_result(evaluation, per_topic=per_topic), indent=1, default=str)
    return f"{rendered}\n"


def format_trec(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return scores in the layout of trec_eval: measure, topic, score, with one block per run.

    Residuals and ranges over assessors, if requested, are further columns.
    """
    lines: list[str] = []
    table = _drop_optimistic(select_rows(evaluation, per_topic=per_topic))
    for run in table["run"].unique(maintain_order=True):
        lines.append(f"{'runid':<22}\tall\t{put_on_one_line(run)}")
        lines.extend(
            "\t".join([f"{measure:<22}", put_on_one_line(topic), *(f"{figure:.4f}" for figure in figures)])
            for _, topic, measure, *figures in table.filter(pl.col("run") == run).iter_rows()
        )
    return "\n".join(lines) + "\n"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "[": "{[}",  # after a line break these two would be read as its arguments
    "*": "{*}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def _escape_latex(text: str) -> str:
    """Return text with all LaTeX syntax escaped."""
    return "".join(_LATEX.get(character, character) for character in put_on_one_line(text))


def format_latex(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return a booktabs table with the best mean of each measure in bold."""
    header, lines = pivot(select_rows(evaluation, per_topic=per_topic))
    keys = sum(name in {"run", "topic"} for name in header)
    best = _find_best(header, lines, keys) if len(lines) > 1 and not per_topic else {}
    body = [
        " & ".join(
            _format_latex_cell(value, bold=column in best and best[column] == value)
            for column, value in enumerate(line)
        )
        + r" \\"
        for line in lines
    ]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * keys}{'r' * (len(header) - keys)}}}",
            r"\toprule",
            " & ".join(_escape_latex(name) for name in header) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            *_format_notes(evaluation, len(header)),
            r"\end{tabular}",
            "",
        ]
    )


def _format_notes(evaluation: Evaluation, columns: int) -> list[str]:
    """Return a row with the note that the means are over different topics, if they are."""
    if evaluation.parameters.get("topics") != "run":
        return []
    return [
        rf"\multicolumn{{{columns}}}{{p{{0.9\linewidth}}}}{{\footnotesize {_escape_latex(note)}}} \\"
        for note in describe_unequal_topics(evaluation.scores)
    ]


def _find_best(
    header: Sequence[str], lines: Sequence[Sequence[object]], keys: int
) -> dict[int, float | None]:
    best: dict[int, float | None] = {}
    labels = {_label_figure(name) for name in MORE_COLUMNS}
    for column in range(keys, len(header)):
        if header[column] in labels:
            continue
        scores = [value for line in lines if isinstance(value := line[column], float)]
        best[column] = find_best_score(header[column], scores)
    return best


def _format_latex_cell(value: object, *, bold: bool) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "--"
    text = f"{value:.4f}" if isinstance(value, float) else _escape_latex(str(value))
    return rf"\textbf{{{text}}}" if bold else text


SCORE_FORMATS: dict[str, Callable[..., str]] = {
    "tsv": format_tsv,
    "csv": format_csv,
    "json": format_json,
    "latex": format_latex,
    "trec": format_trec,
}


_NONE = "--"


def format_leaderboard(report: Mapping[str, Any]) -> str:
    """Return the table of means, the best of each measure in bold, with letters if they were tested."""
    measures = report["measures"]
    rows = [
        [_escape_latex(run), *(_format_mean(report, measure, place) for measure in range(len(measures)))]
        for place, run in enumerate(report["runs"])
    ]
    has_letters = any(comparison is not None and comparison["groups"] for comparison in report["comparisons"])
    settings = report["parameters"]
    note = f"Means over topics ({_format_topics(report)})."
    if has_letters:
        note += (
            " Runs that share a letter do not differ significantly by randomised Tukey HSD"
            f" (two-sided, family-wise level {1 - settings['level']:.2g},"
            f" {settings['resamples']} resamples, seed {settings['seed']})."
        )
    header = ["run", *map(_escape_latex, measures)]
    return _format_table(header, "l" + "r" * len(measures), rows, note)


def _format_topics(report: Mapping[str, Any]) -> str:
    counts = sorted({mean["topics"] for of_runs in report["means"] for mean in of_runs if mean is not None})
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _format_mean(report: Mapping[str, Any], measure: int, run: int) -> str:
    means = report["means"][measure]
    if means[run] is None or means[run]["score"] is None:
        return _NONE
    scores = [mean["score"] for mean in means if mean is not None and mean["score"] is not None]
    best = find_best_score(report["measures"][measure], scores)
    text = f"{means[run]['score']:.4f}"
    comparison = report["comparisons"][measure]
    letters = "" if comparison is None else comparison["groups"].get(str(run), "")
    letters = letters.replace("–", "--")
    cell = rf"\textbf{{{text}}}" if means[run]["score"] == best and len(means) > 1 else text
    return cell + (rf"\rlap{{\textsuperscript{{{letters}}}}}" if letters else "")


def format_comparison(report: Mapping[str, Any], measure: int) -> str | None:
    """Return the table of tests of all runs against the baseline by a measure, or None without tests."""
    comparison = report["comparisons"][measure]
    if comparison is None or not comparison["pairs"]:
        return None
    rows = [
        [
            _escape_latex(report["runs"][pair["run"]]),
            *(_format_number(pair[name], signs=True) for name in ("difference", "d", "delta")),
            *(_format_number(pair[name], signs=False) for name in ("p", "p_adjusted")),
            f"{pair['wins']}/{pair['ties']}/{pair['losses']}",
        ]
        for pair in comparison["pairs"]
    ]
    base = _escape_latex(report["runs"][report["baseline"]])
    settings = "; ".join(f"{name}: {value}" for name, value in comparison["settings"].items())
    header = ["run", "difference", "$d$", r"$\delta$", "$p$", "$p$ (corrected)", "wins/ties/losses"]
    return _format_table(
        header, "lrrrrrr", rows, f"Baseline: {base}. {_escape_latex(settings)}.", is_escaped=True
    )


def format_run_comparisons(comparisons: Sequence[Comparison]) -> str:
    """Return runs compared by several measures as one LaTeX table: means with marks of significance.

    The best mean of each measure is bold.  With a baseline, daggers mark the runs that differ from it; with
    Tukey's test, runs that do not differ share a letter; otherwise the runs have letters, and each mean has
    those of the runs that it exceeds.
    """
    first = comparisons[0]
    runs = list(dict.fromkeys(run for comparison in comparisons for run in comparison.runs))
    has_labels = first.baseline is None and first.test != "tukey"
    labels = {run: write_letter(place) for place, run in enumerate(runs)}
    cells = [_format_compared_means(comparison, labels) for comparison in comparisons]
    rows = [
        [
            *([labels[run]] if has_labels else []),
            _escape_latex(run),
            *(cell for column in cells for cell in column.get(run, (_NONE, ""))),
        ]
        for run in runs
    ]
    header = [
        *([""] if has_labels else []),
        "run",
        *(rf"\multicolumn{{2}}{{c}}{{{_escape_latex(comparison.measure)}}}" for comparison in comparisons),
    ]
    columns = ("l" if has_labels else "") + "l" + "r@{}l" * len(comparisons)
    width = len(columns.replace("@{}", ""))
    table = _format_table(header, columns, rows, _describe_marks(comparisons), is_escaped=True, width=width)
    return f"% needs \\usepackage{{booktabs}}\n{table}"


def _format_compared_means(comparison: Comparison, labels: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the mean of each run by a measure, and its marks, as two cells."""
    means = dict(comparison.means.select("run", "mean").iter_rows())
    best = find_best_score(comparison.measure, list(means.values()))
    marks = _mark_significance(comparison, labels)
    return {
        run: (
            rf"\textbf{{{mean:.4f}}}" if mean == best else f"{mean:.4f}",
            rf"\textsuperscript{{{marks[run]}}}" if marks.get(run) else "",
        )
        for run, mean in means.items()
    }


def _mark_significance(comparison: Comparison, labels: Mapping[str, str]) -> dict[str, str]:
    """Return the superscript of each run."""
    if comparison.baseline is None and comparison.test == "tukey":
        letters = zip(comparison.runs, comparison.groups, strict=True)
        return {run: shorten_letters(group).replace("–", "--") for run, group in letters}
    sign = -1 if lower_is_better(comparison.measure) else 1
    beaten: dict[str, list[str]] = {}
    for pair in comparison.pairs.filter(pl.col("p_adjusted") < 1 - comparison.level).iter_rows(named=True):
        is_better = sign * pair["difference"] > 0
        if comparison.baseline is not None:
            beaten[pair["run"]] = [r"$\dagger$" if is_better else r"$\ddagger$"]
        else:
            winner, loser = (pair["run"], pair["other"]) if is_better else (pair["other"], pair["run"])
            beaten.setdefault(winner, []).append(labels[loser])
    if comparison.baseline is not None:
        return {run: marks[0] for run, marks in beaten.items()}
    order = list(labels.values())
    return {run: "".join(sorted(marks, key=order.index)) for run, marks in beaten.items()}


def _describe_marks(comparisons: Sequence[Comparison]) -> str:
    """Return the sentences below a table: what is bold, what the marks mean, and the method."""
    first = comparisons[0]
    counts = sorted({len(comparison.topics) for comparison in comparisons})
    topics = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    sentences = [f"Means over {topics} topics for which all runs have a score; the best is bold."]
    if lower := [comparison.measure for comparison in comparisons if lower_is_better(comparison.measure)]:
        sentences.append(f"Lower is better for {_escape_latex(', '.join(lower))}.")
    if first.baseline is not None:
        marks = r"$\dagger$ significantly better, $\ddagger$ significantly worse than"
        sentences.append(f"{marks} {_escape_latex(first.baseline)}.")
    elif first.test == "tukey":
        sentences.append("Runs that share a letter do not differ significantly.")
    else:
        sentences.append("A letter after a mean marks a run that it exceeds significantly.")
    names = ("test", "correction", "family", "resamples", "seed")
    families = dict.fromkeys(str(comparison.settings["family"]) for comparison in comparisons)
    settings = {**first.settings, "family": ", ".join(families)}
    method = "; ".join(f"{name}: {settings[name]}" for name in names)
    threshold = f"{1 - first.level:.3g}"
    sentences.append(_escape_latex(f"Two-sided, p < {threshold}; {method}."))
    return " ".join(sentences)


def _format_number(value: float | None, *, signs: bool) -> str:
    if value is None:
        return r"$\infty$"
    return f"${value:+.4f}$" if signs else f"{value:.4f}"


def _format_table(
    header: Sequence[str],
    columns: str,
    rows: Iterable[Sequence[str]],
    note: str,
    *,
    is_escaped: bool = False,
    width: int | None = None,
) -> str:
    """Return a tabular; ``width`` is its number of columns, if cells of the header span several."""
    note = note if is_escaped else _escape_latex(note)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(header) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows),
            r"\bottomrule",
            rf"\multicolumn{{{width or len(header)}}}{{p{{0.9\linewidth}}}}{{\footnotesize {note}}} \\",
            r"\end{tabular}",
            "",
        ]
    )
