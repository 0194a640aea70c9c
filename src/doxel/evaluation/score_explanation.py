"""The explanation of a score: one row per rank, the ideal ranking beside it, and the sum that gives it.

Everything comes from declarations: a view declares the quantities that it holds by rank, a measure the terms
that it adds up and what divides them.  This module depends on no particular measure or view.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from doxel.arguments import check_methods
from doxel.errors import InputError
from doxel.evaluation.ranked_run import RankedRun
from doxel.evaluation.views.view_builders import list_chunks, list_ideal
from doxel.measures.declaration import Measure, View
from doxel.measures.measure_parameters import Number
from doxel.wording import did_you_mean, escape_html, join_words, pluralise

if TYPE_CHECKING:
    from doxel.evaluation.inputs.input_tables import RunSource
    from doxel.evaluation.scoring_job import PreparedRun, ScoringJob

__all__ = ["ScoreExplainer", "ScoreExplanation", "explain_score", "format_quantity", "render_explanations"]

_MOST_TERMS = 8  # a longer sum is abbreviated
_IDEAL = {"doc": "ideal_doc", "path": "ideal_path", "start": "ideal_start", "end": "ideal_end"}
_TEXT_LABELS = {
    "doc": "document",
    "place": "path or span",
    "relevant": "rsize",
    "ideal_doc": "ideal document",
    "ideal_place": "ideal path or span",
    "ideal_gain": "ideal gain",
}
_ABOUT = {
    "size": "its characters",
    "relevant": "its relevant characters",
    "results": "number of its results",
    "overlap(i)": "share seen in earlier results",
    "contribution": "its part of the score",
    "ideal_gain": "gain of the ideal ranking at this rank",
}


@dataclass(frozen=True)
@check_methods  # before its constructor exists, which takes scores that are not finite
class ScoreExplanation:
    """The explanation of one score: of a run, a topic and a measure.

    ``frame`` has one row per rank: rank, doc, path, start, end, size, relevant (its relevant characters), the
    quantities of the measure under their symbols, ``term`` (what is added up) and ``contribution`` (the term
    divided by ``divisor``), and the ideal ranking (ideal_doc, ideal_path, ideal_start, ideal_end,
    ideal_gain).  Ranks after the cutoff of the measure are left out; ranks after the end of the run have no
    document.  ``about`` explains the columns; ``made_of`` is a sentence for measures that are not a plain
    sum, and ``formula_text`` the formula of a measure that declares one.
    """

    run: str
    topic: str
    measure: str
    score: float
    frame: pl.DataFrame
    about: Mapping[str, str]
    terms: str | None = None
    divisor: float | None = None
    divided_by: str | None = None
    divisor_is: str = ""
    made_of: str = ""
    undefined_because: str = ""
    has_results: bool = True
    formula_text: str = ""

    def __repr__(self) -> str:
        score = format_quantity(self.score)
        return f"<ScoreExplanation: {self.run}, topic {self.topic}: {self.measure} = {score}>"

    @property
    def formula(self) -> str:
        """The sum in symbols, such as ``nxCG@10 = sum of gain / xCI[k]``."""
        if self.terms is None:
            return f"{self.measure} = {self.formula_text}" if self.formula_text else self.measure
        below = "" if self.divided_by == "1" else f" / {_bracket(str(self.divided_by))}"
        return f"{self.measure} = sum of {_bracket(self.terms)}{below}"

    @cached_property
    def sum(self) -> str:
        """The sum in numbers, such as ``(0.5 + 0.25 + 1) / 1.75 = 1``; long sums are abbreviated."""
        if math.isnan(self.score):
            return f"undefined: {self.undefined_because}"
        if self.divisor is None:
            return format_quantity(self.score)
        terms = [format_quantity(term) for term in self.frame["term"].drop_nulls() if term != 0]
        if len(terms) > _MOST_TERMS:
            terms = [*terms[: _MOST_TERMS - 2], "...", terms[-1]]
        if self.divided_by == "1" and len(terms) < 2:
            return format_quantity(self.score)
        above = " + ".join(terms) or "0"
        if self.divided_by != "1":
            above = f"({above})" if len(terms) > 1 else above
            above = f"{above} / {format_quantity(self.divisor)}"
        return f"{above} = {format_quantity(self.score)}"

    @property
    def notes(self) -> list[str]:
        """Sentences about the sum."""
        notes = [] if self.has_results else ["The run has no results for this topic."]
        return [*notes, *([self.made_of] if self.made_of else [])]

    def count_terms(self) -> str:
        """Return the number of terms that are not 0, if the sum is abbreviated; else an empty string."""
        added = 0 if self.divisor is None else int((self.frame["term"].fill_null(0) != 0).sum())
        return pluralise(added, "term") if added > _MOST_TERMS else ""

    def tabulate(self, depth: int | None = None) -> tuple[list[str], list[list[Any]]]:
        """Return the header and the rows of a table, of which the first ``depth`` ranks are kept."""
        frame = self.frame if depth is None else self.frame.head(depth)
        cells = [
            _join_places(frame, name.removesuffix("place"))
            if name.endswith("place")
            else frame[name].to_list()
            for name in self._shown_columns
        ]
        return [self._label(name) for name in self._shown_columns], [
            list(row) for row in zip(*cells, strict=True)
        ]

    def explain_columns(self) -> list[tuple[str, str]]:
        """Return the symbols of the table and of the sum, each with its meaning."""
        explained = {
            self._label(name): self.about[name] for name in self._shown_columns if name in self.about
        }
        if self.divided_by not in {None, "1", *explained}:
            explained[str(self.divided_by)] = self.divisor_is
        return list(explained.items())

    def describe_rest(self, depth: int | None) -> str:
        """Return a line about the ranks after ``depth``, or an empty string."""
        rest = self.frame.tail(-depth) if depth is not None else self.frame.clear()
        if not rest.height:
            return ""
        label = pluralise(rest.height, "more rank")
        if "contribution" not in rest.columns:
            return label
        return f"{label}; together they contribute {format_quantity(float(rest['contribution'].sum()))}"

    @property
    def _shown_columns(self) -> list[str]:
        """The columns of a table: the place as one column, and a term only if no quantity shows it.

        The contribution comes before the quantities, so that it is visible beside the result.
        """
        hidden = {"start", "end", "ideal_start", "ideal_end", "contribution"}
        hidden |= {"term"} if self.terms in self.frame.columns else set()
        titles = {"path": "place", "ideal_path": "ideal_place"}
        columns = [titles.get(name, name) for name in self.frame.columns if name not in hidden]
        if "contribution" in self.frame.columns:
            place_columns = ("rank", "doc", "place", "results", "size", "relevant")
            columns.insert(sum(name in columns for name in place_columns), "contribution")
        return columns

    def _label(self, name: str) -> str:
        return str(self.terms) if name == "term" else _TEXT_LABELS.get(name, name)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values; NaN and infinity become None."""
        columns = {name: _to_plain(self.frame[name].to_list()) for name in self.frame.columns}
        return {
            "run": self.run,
            "topic": self.topic,
            "measure": self.measure,
            "score": _to_plain([self.score])[0],
            "terms": self.terms,
            "divisor": None if self.divisor is None else _to_plain([self.divisor])[0],
            "divided_by": self.divided_by,
            "divisor_is": self.divisor_is,
            "formula": self.formula,
            "sum": self.sum,
            "notes": self.notes,
            "columns": dict(self.about),
            "ranks": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
        }

    def to_html(self, depth: int | None = None) -> str:
        """Return a table with the sum below it, as a piece of HTML."""
        header, rows = self.tabulate(depth)
        about = dict(self.explain_columns())
        head = "".join(
            f'<th scope="col"{_title(about.get(label))}>{escape_html(label)}</th>' for label in header
        )
        body = "".join(f"<tr>{''.join(map(_render_cell, row))}</tr>" for row in rows)
        lines = [self.describe_rest(depth), *self.notes]
        paragraphs = "".join(f"<p>{escape_html(line)}</p>" for line in lines if line)
        counted = f" ({self.count_terms()})" if self.count_terms() else ""
        return (
            f'<div class="doxel-explanation"><h3>{escape_html(self.measure)} of {escape_html(self.run)}, '
            f"topic {escape_html(self.topic)}</h3>"
            f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
            f'<p class="sum">{escape_html(self.formula)}<br>= {escape_html(self.sum)}{counted}</p>'
            f"{paragraphs}</div>"
        )

    def _repr_html_(self) -> str:
        return self.to_html(depth=30)


def explain_score(
    run: str, measure: Measure, parameters: Mapping[str, Any], *, view: View, ranked: RankedRun, topic: int
) -> ScoreExplanation:
    """Explain the score of one topic, given as its number."""
    score = float(measure.compute(view, parameters)[topic])
    total = measure.compute_sum(view, parameters)
    quantities = measure.compute_quantities(view, parameters)
    listed = _list_ranks(view, ranked, parameters, topic)
    ideal = list_ideal(type(view), ranked, topic, parameters)
    terms = np.zeros(0) if total is None else total[0][topic]
    rows = max(listed.height, *(np.flatnonzero(terms) + 1), 0 if ideal is None else ideal.height)
    rows = min(rows, _find_reach(measure, rows))
    frame = pl.DataFrame({"rank": np.arange(1, rows + 1)})
    frame = pl.concat([frame, _extend(listed, rows)], how="horizontal")
    by_rank = {
        quantity: values
        for quantity, matrix in quantities.items()
        if not (values := _take_ranks(matrix[topic], rows)).is_null().all()
    }
    frame = frame.with_columns(**{quantity.symbol: values for quantity, values in by_rank.items()})
    about = {**_ABOUT, **{quantity.symbol: quantity.about for quantity in by_rank}}
    declaration = measure.declaration
    details: dict[str, Any] = {}
    if total is not None and declaration.terms is not None and declaration.divisor is not None:
        divisor = float(total[1][topic])
        values = _take_ranks(terms, rows, fill=0.0)
        frame = frame.with_columns(term=values, contribution=values / divisor if divisor else values * 0.0)
        about["term"] = declaration.terms.about
        details = {
            "terms": declaration.terms.symbol,
            "divisor": divisor,
            "divided_by": declaration.divisor.symbol,
            "divisor_is": declaration.divisor.about,
        }
    if ideal is not None:
        frame = pl.concat(
            [frame, _extend(ideal.rename({**_IDEAL, "gain": "ideal_gain"}), rows)], how="horizontal"
        )
    return ScoreExplanation(
        run=run,
        topic=ranked.assessed.topics[topic],
        measure=measure.name,
        score=score,
        frame=frame,
        about={name: about[name] for name in frame.columns if name in about},
        made_of=declaration.made_of,
        formula_text=declaration.formula,
        has_results=bool(listed.height),
        undefined_because="there is nothing to find"
        if not view.find_defined(parameters)[topic]
        else view.explain_gap(parameters),
        **details,
    )


def _find_reach(measure: Measure, rows: int) -> int:
    """Return the last rank that can matter: the cutoff, if that is a rank."""
    cutoff = measure.declaration.at
    is_rank = cutoff is not None and isinstance(cutoff.kind, Number) and cutoff.kind.whole
    return rows if measure.at is None or not is_rank else int(measure.at)


def _list_ranks(view: View, ranked: RankedRun, parameters: Mapping[str, Any], topic: int) -> pl.DataFrame:
    """Return the results, articles or chunks of a topic: doc, path, start, end, size, relevant."""
    if view.ranks == "chunks":
        ranked = list_chunks(type(view), ranked, parameters)
    rows = np.arange(ranked.first[topic], ranked.first[topic + 1])
    if view.ranks == "articles":
        return _list_articles(ranked, rows)
    frame = _locate(ranked, rows)
    if not ranked.has_sizes:
        return frame
    size, new = ranked.size[rows], ranked.seen.new_size[rows]
    overlap = np.divide(size - new, size, out=np.zeros(len(size)), where=size > 0)
    return frame.with_columns(
        pl.Series("size", size),
        pl.Series("relevant", ranked.relevant[rows]),
        pl.Series("overlap(i)", overlap),
    )


def _list_articles(ranked: RankedRun, rows: np.ndarray) -> pl.DataFrame:
    """Return the articles of a topic by first occurrence; their sizes count new text only."""
    position = ranked.article_position[rows]
    first = rows[np.unique(position, return_index=True)[1]]
    counts = {"results": np.bincount(position)}
    if ranked.has_sizes:
        counts["size"] = np.bincount(position, weights=ranked.seen.new_size[rows]).astype(np.int64)
        counts["relevant"] = np.bincount(position, weights=ranked.new_relevant[rows]).astype(np.int64)
    places = _locate(ranked, first).with_columns(path=pl.lit(None, pl.String))
    return places.with_columns(pl.Series(name, values) for name, values in counts.items())


def _locate(ranked: RankedRun, rows: np.ndarray) -> pl.DataFrame:
    """Return the places of results; a result that was not found has no span."""
    columns: pl.DataFrame = ranked.columns[ranked.source[rows]].select("doc", "path")
    is_found = pl.Series(ranked.found[rows])
    return columns.with_columns(
        start=pl.when(is_found).then(pl.Series(ranked.start[rows])),
        end=pl.when(is_found).then(pl.Series(ranked.end[rows])),
    )


def _extend(frame: pl.DataFrame, rows: int) -> pl.DataFrame:
    """Return a frame with exactly this many rows; further rows are null."""
    missing = pl.DataFrame(
        {name: [None] * max(rows - frame.height, 0) for name in frame.columns}, frame.schema
    )
    return pl.concat([frame.head(rows), missing])


def _take_ranks(values: np.ndarray, rows: int, *, fill: float | None = None) -> pl.Series:
    """Return values by rank as a column of this length; NaN becomes null."""
    leading_values = np.asarray(values[:rows], dtype=np.float64)
    column = pl.Series(leading_values, dtype=pl.Float64, nan_to_null=True)
    return column.extend(pl.Series([fill] * (rows - len(leading_values)), dtype=pl.Float64))


def _join_places(frame: pl.DataFrame, prefix: str) -> list[str | None]:
    """Return the path of each result, else its span."""
    names = (f"{prefix}path", f"{prefix}start", f"{prefix}end")
    return [
        path or (None if start is None else f"{start:,}-{end:,}")
        for path, start, end in frame.select(names).iter_rows()
    ]


def _bracket(symbol: str) -> str:
    return f"({symbol})" if any(mark in symbol for mark in ("+", " / ")) else symbol


def format_quantity(value: float) -> str:
    """Return a number with at most four decimals, more for a very small one.

    >>> [format_quantity(value) for value in (0.5, 3.0, 1 / 3, 0.00001234, 12345.0, float("inf"))]
    ['0.5', '3', '0.3333', '1.234e-05', '12,345', 'infinity']
    """
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "infinity"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.4g}" if abs(value) < 0.001 else f"{value:,.4f}".rstrip("0").rstrip(".")


def _to_plain(values: Sequence[Any]) -> list[Any]:
    return [None if isinstance(value, float) and not math.isfinite(value) else value for value in values]


def _title(about: str | None) -> str:
    return "" if about is None else f' title="{escape_html(about)}"'


def _render_cell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return f"<td>{escape_html(value or '')}</td>"
    return f'<td style="text-align:right">{format_quantity(value)}</td>'


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #1d2329; background: #fff; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: 3px 9px; border-bottom: 1px solid #d9dee3; text-align: left; white-space: nowrap; }
th { border-bottom: 2px solid #8a949e; }
.sum { font-size: 16px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; font-size: 13px; }
dt { font-weight: 600; } dd { margin: 0; }
@media (prefers-color-scheme: dark) {
  body { color: #e3e7ea; background: #15191d; }
  th, td { border-color: #39424a; }
}
"""


def render_explanations(explanations: Sequence[ScoreExplanation], depth: int | None = None) -> str:
    """Return a self-contained page with explanations."""
    parts = []
    for explanation in explanations:
        terms = "".join(
            f"<dt>{escape_html(label)}</dt><dd>{escape_html(about)}</dd>"
            for label, about in explanation.explain_columns()
        )
        parts.append(f"{explanation.to_html(depth)}<dl>{terms}</dl>")
    title = ", ".join(dict.fromkeys(f"{part.run}, topic {part.topic}" for part in explanations))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape_html(title)}</title><style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


@dataclass(eq=False)
class ScoreExplainer:
    """Explains the scores of an evaluation: keeps its arguments, and reads the inputs again when asked.

    ``prepare`` prepares the assessments, ``list_sources`` lists the runs, whose names are ``names``.
    """

    prepare: Callable[[], ScoringJob]
    list_sources: Callable[[ScoringJob], list[RunSource]]
    names: tuple[str, ...]
    _prepared: dict[str, PreparedRun] = field(default_factory=dict)

    @cached_property
    def job(self) -> ScoringJob:
        """The assessments and documents, prepared again."""
        return self.prepare()

    @property
    def topics(self) -> tuple[str, ...]:
        """The assessed topics."""
        return self.job.basis.assessed.topics

    @cached_property
    def _sources(self) -> list[RunSource]:
        return self.list_sources(self.job)

    def find_source(self, run: str) -> RunSource:
        """Return the file or the data of a run."""
        return self._sources[self._find_name(run)]

    def find_file(self, run: str) -> str | None:
        """Return the file of a run, or None if it was not read from a file."""
        from doxel.evaluation.inputs.input_tables import ChangedRun

        source: Any = self.find_source(run)
        while isinstance(source, ChangedRun):
            source = source.original
        file = getattr(source, "path", source)
        return os.fspath(file) if isinstance(file, str | os.PathLike) else getattr(source, "file", None)

    def _find_name(self, run: str) -> int:
        if run not in self.names:
            raise InputError(
                "a run to explain",
                wanted=f"one of {join_words(self.names)}",
                found=f"{run!r}{did_you_mean(run, self.names)}",
            )
        return self.names.index(run)

    def explain(self, run: str, topic: str, measure: str | Measure) -> ScoreExplanation:
        """Explain one score; the run that was explained last stays in memory."""
        self._find_name(run)
        chosen_measure = self.job.find_measure(measure)
        if topic not in self.topics:
            raise InputError(
                "a topic to explain",
                wanted=f"an assessed topic such as {join_words(self.topics)}",
                found=f"{topic!r}{did_you_mean(str(topic), self.topics)}",
            )
        explanation = self._prepare_run(run).scorer.explain(chosen_measure, topic)
        return replace(explanation, run=run)

    def score(self, run: str, measures: Sequence[str | Measure], *, residual: bool = False) -> pl.DataFrame:
        """Return the scores of a run by further measures, with residuals on request."""
        adapted = [self.job.find_measure(measure) for measure in measures]
        scored = self._prepare_run(run).scorer.score(adapted, residual=residual)
        return scored.scores.with_columns(run=pl.lit(run))

    def list_results(self, run: str, depth: int) -> pl.DataFrame:
        """Return the first results of each topic of a run; see ``run_scorer.KEPT_RESULTS``."""
        return self._prepare_run(run).scorer.list_results(depth).with_columns(run=pl.lit(run))

    def list_unjudged(self, run: str, measure: str | Measure) -> pl.DataFrame:
        """Return the unjudged documents that a measure reads of a run: topic, doc, rank, characters, fall."""
        chosen_measure = self.job.find_measure(measure)
        return self._prepare_run(run).scorer.list_unjudged(chosen_measure)

    def _prepare_run(self, run: str) -> PreparedRun:
        self._find_name(run)
        if run not in self._prepared:
            self._prepared.clear()
            self._prepared[run] = self.job.read(self.find_source(run))
        return self._prepared[run]
