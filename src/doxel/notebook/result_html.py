"""The table of means that a notebook shows for an evaluation, with intervals and warnings."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable

import polars as pl

from doxel.checks.score_warnings import sort_by_gravity
from doxel.chunking import ChunkComparison
from doxel.evaluation.analysis.run_comparison import compute_mean_intervals
from doxel.evaluation.evaluation_result import Evaluation
from doxel.measures.measure_table import find_best_score, lower_is_better
from doxel.wording import escape_unprintable, format_level, join_words, pluralise

__all__ = ["escape_html", "render_chunk_comparison", "render_result", "wrap_html"]

LEVEL = 0.95
_MOST_RUNS = 60
_MOST_WARNINGS = 20

_STYLE = """
.doxel { font: 13px/1.45 system-ui, sans-serif; color: inherit; }
.doxel table { font-size: 13px; border-collapse: collapse; font-variant-numeric: tabular-nums;
  margin: 4px 0 6px; }
.doxel th, .doxel td { padding: 3px 12px 3px 0; text-align: right; vertical-align: baseline;
  border: 0; border-bottom: 1px solid rgba(128, 128, 128, .3); background: none; color: inherit; }
.doxel th { font-weight: 600; }
.doxel th:first-child, .doxel td:first-child, .doxel .left { text-align: left; }
.doxel small { opacity: .75; font-size: 11px; white-space: nowrap; }
.doxel .best { font-weight: 700; background: rgba(0, 160, 90, .18); border-radius: 3px; padding: 0 4px; }
.doxel ul { margin: 4px 0; padding-left: 18px; }
.doxel code { font-size: 11px; opacity: .8; background: none; color: inherit; padding: 0; }
.doxel mark { background: rgba(255, 190, 0, .38); color: inherit; border-radius: 2px; padding: 0 1px; }
.doxel details { border-top: 1px solid rgba(128, 128, 128, .3); padding: 4px 0; }
.doxel summary { cursor: pointer; }
.doxel .sides { display: grid; grid-template-columns: 1fr 1fr; gap: 0 18px; }
.doxel .chunk { border-left: 3px solid rgba(128, 128, 128, .35); margin: 5px 0; padding: 1px 0 1px 8px;
  white-space: pre-line; overflow-wrap: anywhere; }
.doxel .chunk.hit { border-left-color: rgba(0, 160, 90, .8); }
.doxel .up { color: #1a8a52; } .doxel .down { color: #d9534f; }
.doxel .wide { overflow-x: auto; }
.doxel .line { display: block; }
.doxel .bar { display: block; height: 4px; margin-top: 2px; min-width: 60px; text-align: left; line-height: 0;
  white-space: nowrap; background: rgba(128, 128, 128, .2); }
.doxel .bar i { display: inline-block; height: 4px; vertical-align: top; background: rgba(0, 110, 180, .75); }
.doxel .bar i + i { background: rgba(0, 110, 180, .3); }
"""


def escape_html(text: object) -> str:
    """Return text for HTML, with characters escaped that are unsafe to show."""
    return html.escape(escape_unprintable(str(text)))


def wrap_html(*parts: str) -> str:
    """Return pieces of HTML with the style of all results."""
    return f'<div class="doxel"><style>{_STYLE}</style>{"".join(parts)}</div>'


def render_result(evaluation: Evaluation) -> str:
    """Return the means of an evaluation as an HTML table, the best of each measure marked; warnings below."""
    by_task = evaluation.by_task()
    parts = by_task if len(by_task) > 1 else {"": evaluation}
    tables = [
        (f"<p><strong>{escape_html(task)}</strong></p>" if task else "") + _render_means(part)
        for task, part in parts.items()
    ]
    return wrap_html(*tables, _render_counts(evaluation), _render_warnings(evaluation))


def render_chunk_comparison(comparison: ChunkComparison) -> str:
    """Return the comparison of chunkings as an HTML table; figures that no ranking exceeds are underlined."""
    table = comparison.table
    head = "".join(f"<th>{escape_html(name)}</th>" for name in table.columns)
    lines = []
    for row in table.iter_rows(named=True):
        maxima = set(comparison.list_maxima(row["chunking"]))
        first, *cells = (_render_figure(value, is_maximum=name in maxima) for name, value in row.items())
        lines.append(f"<tr><th>{first}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    size = f"{comparison.gold:,.0f} gold characters per topic"
    about = (
        f"{pluralise(comparison.topics, 'topic')}, {size}; underlined: no ranking of these chunks exceeds it"
    )
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return wrap_html(
        f'<div class="wide"><table>{body}</table></div>',
        f"<p><small>{about}</small></p>",
        _render_list(map(escape_html, comparison.notes)),
    )


def _render_figure(value: object, *, is_maximum: bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    text = _format_mean(value) if isinstance(value, float) else escape_html("" if value is None else value)
    return f"<u>{text}</u>" if is_maximum else text


def _render_means(evaluation: Evaluation) -> str:
    means = evaluation.means
    if not means.height:
        return "<p>no scores</p>"
    if evaluation.overall is None:
        intervals = compute_mean_intervals(evaluation.scores, level=LEVEL)
        means = means.join(intervals, on=["run", "measure"], how="left", maintain_order="left")
    else:
        means = means.with_columns(low=pl.lit(math.nan), high=pl.lit(math.nan))
    measures = means["measure"].unique(maintain_order=True).to_list()
    runs = means["run"].unique(maintain_order=True).to_list()
    best = _find_best_means(evaluation) if len(runs) > 1 else set()
    cells = {(row["run"], row["measure"]): row for row in means.iter_rows(named=True)}
    head = "".join(f"<th>{_label_measure(measure)}</th>" for measure in measures)
    lines = []
    for run in runs[:_MOST_RUNS]:
        keys = [(run, measure) for measure in measures]
        columns = "".join(_render_mean(cells.get(key), is_best=key in best) for key in keys)
        lines.append(f"<tr><th>{escape_html(run)}</th>{columns}</tr>")
    more = len(runs) - _MOST_RUNS
    more_runs = f"<p>... and {pluralise(more, 'more run')}</p>" if more > 0 else ""
    return (
        f'<div class="wide"><table><thead><tr><th>run</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>{more_runs}"
    )


def _find_best_means(evaluation: Evaluation) -> set[tuple[str, str]]:
    """Return the runs and measures with the best mean, among the means over all topics with a score."""
    comparable = evaluation.means
    if evaluation.overall is None:
        finite = evaluation.scores.filter(pl.col("score").is_finite())
        every = finite.group_by("measure").agg(all_topics=pl.col("topic").n_unique())
        comparable = comparable.join(every, on="measure").filter(pl.col("topics") == pl.col("all_topics"))
    names = comparable["measure"].unique()
    scores = {name: comparable.filter(measure=name)["score"].to_list() for name in names}
    best = {name: find_best_score(name, values) for name, values in scores.items()}
    rows = comparable.select("run", "measure", "score").iter_rows()
    return {(run, measure) for run, measure, score in rows if score == best[measure]}


def _label_measure(measure: str) -> str:
    note = "<br><small>lower is better</small>" if lower_is_better(measure) else ""
    return f"{escape_html(measure)}{note}"


def _render_mean(row: dict[str, float] | None, *, is_best: bool) -> str:
    if row is None:
        return '<td title="not scored: see below">&ndash;</td>'
    score = _format_mean(row["score"])
    if is_best:
        score = f'<span class="best" title="the best mean">{score}</span>'
    has_interval = row["low"] is not None and math.isfinite(row["low"])
    ends = f"[{_format_mean(row['low'])}, {_format_mean(row['high'])}]" if has_interval else ""
    interval = f" <small>{ends}</small>" if ends else ""
    return f"<td>{score}{interval}{_render_residual(row)}{_render_assessors(row)}</td>"


def _render_residual(row: dict[str, float]) -> str:
    """Return how far a mean could rise, as a number and, between 0 and 1, as a bar beside the mean."""
    residual = row.get("residual")
    if residual is None or not math.isfinite(residual):
        return ""
    title = "how far the mean would move if the unjudged text were relevant"
    number = f' <small title="{title}">{residual:+.4f}</small>'
    low, high = sorted((row["score"], row["score"] + residual))
    if not 0 <= low <= high <= 1:
        return number
    bars = "".join(f'<i style="width: {100 * width:.1f}%"></i>' for width in (low, high - low))
    return f'{number}<span class="bar" title="{title}">{bars}</span>'


def _render_assessors(row: dict[str, float]) -> str:
    """Return the range of a mean over assessors."""
    low = row.get("assessors_low")
    if low is None or not math.isfinite(low):
        return ""
    ends = f"{_format_mean(low)} to {_format_mean(row['assessors_high'])}"
    return f'<small class="line">assessors: {ends}</small>'


def _format_mean(score: float) -> str:
    """Return a mean with four decimals, or one if it is a number of characters rather than a share."""
    if not math.isfinite(score):
        return "undefined" if math.isnan(score) else "infinite"
    return f"{score:.4f}" if abs(score) < 10 else f"{score:,.1f}"


def _render_counts(evaluation: Evaluation) -> str:
    if evaluation.overall is not None or not evaluation.means.height:
        return ""
    counts = sorted(set(evaluation.means["topics"].to_list()))
    topics = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    noun = "topic" if counts[-1] == 1 else "topics"
    residuals = ""
    if "residual" in evaluation.means.columns:
        residuals = "; + and light bar: how far the mean would move if unjudged text were relevant"
    intervals = f"{format_level(LEVEL)} percentile bootstrap intervals"
    return f"<p><small>means over {topics} {noun}, {intervals}{residuals}</small></p>"


def _render_warnings(evaluation: Evaluation) -> str:
    """Return the rejections and warnings as a list, the gravest first."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for rejection in evaluation.rejected:
        by_reason.setdefault((rejection.run, rejection.reason), []).append(rejection.measure)
    rejections = [
        f"{run}: {'skipped' if 'all' in measures else f'no score by {join_words(measures)}'}: {reason}"
        for (run, reason), measures in by_reason.items()
    ]
    warning_texts = {str(warning) for warning in evaluation.warnings}
    other_rejections = [sentence for sentence in rejections if sentence not in warning_texts]
    warnings = [
        f"{f'<strong>{escape_html(warning)}</strong>' if warning.effect != 'none' else escape_html(warning)}"
        f" <code>{escape_html(warning.code)}</code>"
        for warning in sort_by_gravity(evaluation.warnings)
    ]
    return _render_list([*map(escape_html, other_rejections), *warnings])


def _render_list(items: Iterable[str]) -> str:
    lines = list(items)
    if not lines:
        return ""
    list_items = "".join(f"<li>{line}</li>" for line in lines[:_MOST_WARNINGS])
    more = len(lines) - _MOST_WARNINGS
    return f"<ul>{list_items}{f'<li>... and {more:,} more</li>' if more > 0 else ''}</ul>"
