"""Evaluate runs as inex_eval 3.1 does, reject those that it rejects, and print its output.

The output is an ``eval`` element around lines of name, topic and value, separated by tabs.  Numbers are
printed by the rules of Java's ``Double.toString``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.errors import InputError, MeasureError
from doxel.evaluation.compat.inex_eval.inex_eval_data import (
    ToolAssessments,
    ToolResults,
    prepare_assessments,
    prepare_results,
)
from doxel.evaluation.compat.inex_eval.inex_eval_figures import (
    Figures,
    ToolOutcome,
    ToolRow,
    compute_article_figures,
    compute_character_figures,
    compute_entry_point_score,
    compute_f_score,
    compute_tolerance_score,
)
from doxel.evaluation.evaluation_result import SCORES, Evaluation, Rejection
from doxel.evaluation.evaluation_warnings import describe_topic_mismatches, describe_unequal_topics
from doxel.evaluation.inputs.input_tables import RunSource, as_assessments, read_source
from doxel.evaluation.inputs.measure_sets import expand_sets
from doxel.measures import Measure
from doxel.runs import Run, read_run
from doxel.wording import join_words

__all__ = [
    "TASKS",
    "combine_outcomes",
    "evaluate_like_inex_eval",
    "evaluate_like_tool",
    "format_java_double",
    "get_tool_name",
    "render_tool_output",
]

TASKS = ("focused", "thorough", "relevant-in-context", "best-in-context")


def evaluate_like_inex_eval(
    runs: Iterable[RunSource],
    assessments: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    task: str | None = None,
    topics: Literal["assessed", "run"] = "assessed",
    fol_end: bool = False,
) -> list[ToolOutcome]:
    """Evaluate runs, or the files that contain them, as ``inex_eval`` 3.1 does.

    ``measures`` selects figures by doxel's names (``"MAiP"``, ``"gP@5"``) or the tool's (``"num_ret"``,
    ``"ircl_prn.0.10"``); None and ``"inex_eval"`` mean all of them.  The parameters of MAgP, gP and igP set
    the tool's options -beta, -n, -irr and -i.  A run that cannot be read is rejected, as by the tool.
    """
    judged = as_assessments(assessments)
    names, parameters = _parse_request(measures)
    outcomes: list[ToolOutcome] = []
    for source in runs:
        try:
            run = read_source(source, partial(read_run, fol_end=fol_end))
        except InputError as error:
            outcomes.append(ToolOutcome(str(source), rejected=str(error)))
            continue
        run_task = _choose_task(task, run)
        outcomes.append(evaluate_like_tool(run, judged, task=run_task, topics=topics, **parameters))
    return outcomes if names is None else _select_figures(outcomes, names)


def combine_outcomes(outcomes: Sequence[ToolOutcome], **parameters: object) -> Evaluation:
    """Return the figures of several runs in one evaluation."""
    tables = [
        outcome.scores().select(run=pl.lit(outcome.run), topic="topic", measure="measure", score="score")
        for outcome in outcomes
        if not outcome.rejected
    ]
    table = pl.concat([SCORES.empty(), *tables])
    is_mean = pl.col("topic") == "all"
    scores = table.filter(~is_mean)
    rejected = tuple(
        Rejection(outcome.run, "inex_eval", outcome.rejected) for outcome in outcomes if outcome.rejected
    )
    warnings = [warning for outcome in outcomes for warning in outcome.warnings]
    return Evaluation(
        scores,
        rejected,
        warnings=(*describe_unequal_topics(scores), *warnings),
        parameters={"compat": "inex_eval", **parameters},
        overall=table.filter(is_mean).drop("topic"),
    )


_TOOL_FIGURE = re.compile(r"num_(?:q|ret|rel|rel_ret)|(?:ret|rel|rel_ret)_size|ircl_prn\.[01]\.[0-9]{2}")
_OPTIONS = {"beta": "beta", "n": "n", "T": "tolerance"}


def _parse_request(
    measures: str | Measure | Iterable[str | Measure] | None,
) -> tuple[list[str] | None, dict[str, Any]]:
    """Return the requested figures, None for all, and the tool's options."""
    items = [measures] if isinstance(measures, str | Measure) else list(measures or ())
    names: dict[str, None] = {}
    settings: list[dict[str, Any]] = []
    for piece in (piece for item in items for piece in _split_names(item)):
        if isinstance(piece, str) and (piece == "inex_eval" or _TOOL_FIGURE.fullmatch(piece)):
            names[piece] = None
            continue
        for measure in expand_sets(piece):
            names[re.sub(r"\(.*\)", "", measure.name)] = None
            if measure.written and measure.declaration.name in {"MAgP", "gP", "igP"}:
                settings.append(dict(measure.written))
    if any(values != settings[0] for values in settings):
        raise MeasureError(
            "inex_eval takes one setting of MAgP, gP and igP: their parameters are the tool's options"
        )
    values = settings[0] if settings else {}
    if unknown := set(values) - {"score", *_OPTIONS}:
        raise MeasureError(f"inex_eval has no option for {', '.join(sorted(unknown))}")
    options = {_OPTIONS[name]: value for name, value in values.items() if name in _OPTIONS}
    options |= {"score": "t2i"} if values.get("score") == "t2i" else {}
    return (None if not names or "inex_eval" in names else list(names)), options


def _split_names(item: str | Measure) -> list[str | Measure]:
    """Return the names of a list of measures; cutoffs after a comma stay with their measure."""
    if not isinstance(item, str):
        return [item]
    return [piece.strip() for piece in re.split(r",(?![^()]*\))(?!\s*[0-9.])", item)]


def _choose_task(requested: str | None, run: Run) -> str:
    task = requested or run.task or "focused"
    if task not in TASKS:
        raise InputError(
            "inex_eval does not support this task", wanted=f"one of {', '.join(TASKS)}", found=repr(task)
        )
    return task


def _select_figures(outcomes: Sequence[ToolOutcome], names: Sequence[str]) -> list[ToolOutcome]:
    """Return the outcomes with the named figures only; a name that no outcome has is an error."""
    known_figures = dict.fromkeys(row.measure for outcome in outcomes for row in outcome.overall)
    unknown = [
        name for name in names if name not in known_figures and _rename_curve(name) not in known_figures
    ]
    if unknown and known_figures:
        others = [name for name in known_figures if not name.startswith("ircl_prn")]
        raise MeasureError(
            f"inex_eval does not compute {join_words(unknown)} for this task; "
            f"it computes {join_words(others, len(others))}, ircl_prn.x"
        )
    wanted = {*names, *map(_rename_curve, names)}
    return [
        replace(
            outcome,
            per_topic=tuple(row for row in outcome.per_topic if row.measure in wanted),
            overall=tuple(row for row in outcome.overall if row.measure in wanted),
        )
        for outcome in outcomes
    ]


def _rename_curve(name: str) -> str:
    """Return the tool's name for a point of doxel's curve of generalised precision."""
    return f"ircl_prn.{float(name[4:]):.2f}" if name.startswith("igP@") else name


def evaluate_like_tool(
    run: Run,
    assessments: Assessments,
    *,
    task: str,
    topics: Literal["assessed", "run"] = "assessed",
    score: Literal["t2i"] | None = None,
    beta: float = 0.25,
    n: int = 500,
    tolerance: int = 300,
) -> ToolOutcome:
    """Evaluate a run as ``inex_eval`` 3.1 does.

    Parameters
    ----------
    run
        The run; its results have offsets and lengths, and are ranked by their order in the file.
    assessments
        Assessments with the declared sizes and offsets of qrels since 2007.
    task
        One of ``TASKS``: the tool's -f, -t, -r, -b.
    topics
        ``"assessed"``: averages over all assessed topics, with 0 for those missing from the run (-c);
        ``"run"``: averages over the assessed topics of the run.
    score
        ``"t2i"``: score articles by tolerance to irrelevance (-i); only for the task
        relevant-in-context.
    beta
        The weight of recall in the F measure (-beta).
    n
        The distance from a best entry point at which the score reaches 0 (-n).
    tolerance
        The number of irrelevant characters after which reading ends (-irr).

    Returns
    -------
    Outcome
        The figures, or the reason why the tool rejects the run.

    Raises
    ------
    MeasureError
        If the task or a parameter is invalid.
    InputError
        If the assessments declare no sizes.
    """
    _check_parameters(task, topics, score, beta=beta, n=n, tolerance=tolerance)
    reason = find_malformed_result(run)
    if reason is not None:
        return ToolOutcome(run.id, reason)
    base = prepare_assessments(assessments)
    results = prepare_results(run, base)
    reason = find_rejection(run, results, task=task)
    if reason is not None:
        return ToolOutcome(run.id, reason)
    figures = _compute_figures(results, base, task=task, score=score, beta=beta, n=n, tolerance=tolerance)
    return _build_outcome(run, base, results, figures, every_topic=topics == "assessed")


def _compute_figures(
    results: ToolResults,
    base: ToolAssessments,
    *,
    task: str,
    score: str | None,
    beta: float,
    n: int,
    tolerance: int,
) -> Figures:
    if task == "best-in-context":
        return compute_article_figures(
            results, base, partial(compute_entry_point_score, n=n), entry_points=True
        )
    if task == "relevant-in-context":
        article_score = (
            partial(compute_tolerance_score, tolerance=tolerance)
            if score
            else partial(compute_f_score, beta=beta)
        )
        return compute_article_figures(results, base, article_score)
    return compute_character_figures(results, base, thorough=task == "thorough")


def _build_outcome(
    run: Run, base: ToolAssessments, results: ToolResults, figures: Figures, *, every_topic: bool
) -> ToolOutcome:
    in_run = np.zeros(len(base.topics), dtype=np.bool_)
    in_run[results.topic] = True
    is_counted = np.ones_like(in_run) if every_topic else in_run
    remarks = describe_topic_mismatches(run.results, base.topics, int((is_counted & ~in_run).sum()))
    return ToolOutcome(
        run.id,
        per_topic=tuple(figures.topic_rows(base.topics, is_counted)),
        overall=tuple(figures.overall_rows(is_counted)),
        warnings=tuple(remark.name_run(run.id) for remark in remarks),
    )


def _check_parameters(
    task: str, topics: str, score: str | None, *, beta: float, n: int, tolerance: int
) -> None:
    if task not in TASKS:
        raise MeasureError(f"inex_eval: the task: wanted one of {', '.join(TASKS)}, found {task!r}")
    if topics not in {"assessed", "run"}:
        raise MeasureError(f"inex_eval: topics: wanted 'assessed' or 'run', found {topics!r}")
    if score not in {None, "t2i"} or (score and task != "relevant-in-context"):
        raise MeasureError(
            "inex_eval: the score: wanted none, or 't2i' with the task relevant-in-context, "
            f"found {score!r} with {task}"
        )
    if not (math.isfinite(beta) and beta >= 0):
        raise MeasureError(f"inex_eval: beta: wanted a number of 0 or more, found {beta}")
    for name, value in (("n", n), ("tolerance", tolerance)):
        if value < 1:
            raise MeasureError(f"inex_eval: {name}: wanted a whole number of 1 or more, found {value}")


def find_malformed_result(run: Run) -> str | None:
    """Describe the first malformed result: the tool needs eight fields and no negative length."""
    no_span = pl.col("start").is_null() | pl.col("end").is_null()
    negative = (pl.col("start") >= 0) & (pl.col("end") < pl.col("start"))
    bad = run.results.with_row_index("result").filter(no_span | negative).head(1)
    if not bad.height:
        return None
    row = bad.row(0, named=True)
    location = _describe_position(row["line"], row["result"])
    if row["start"] is None or row["end"] is None:
        return f"{location}: wanted 8 fields, with offset and length, found another format"
    return f"{location}: wanted a length of 0 or more, found {row['end'] - row['start']}"


def find_rejection(run: Run, results: ToolResults, *, task: str) -> str | None:
    """Return the reason why a task does not accept the results of a run, or None."""
    faults = [(place, sentence) for check, sentence in _CHECKS[task] if (place := check(results)) is not None]
    if not faults:
        return None
    place, sentence = min(faults)
    number = int(results.number[place])
    row = run.results.row(number, named=True)
    return f"{_describe_position(row['line'], number)}: {sentence.format(**row)}"


def _describe_position(line: int | None, number: int) -> str:
    return f"result {number + 1}" if line is None else f"line {line}"


def _find_overlapping(results: ToolResults) -> int | None:
    """Return the first result that overlaps an earlier one of its article."""
    short = results.resolved & (results.new.sizes(len(results)) < results.size)
    return _take_first(np.flatnonzero(short).tolist())


def _find_interleaved(results: ToolResults) -> int | None:
    """Return the first result that returns to an article after another one."""
    first = np.flatnonzero(np.diff(results.article, prepend=-1))
    is_return = np.ones(len(first), dtype=np.bool_)
    is_return[np.unique(results.article[first], return_index=True)[1]] = False
    return _take_first(first[is_return].tolist())


def _find_second(results: ToolResults) -> int | None:
    """Return the first result from the same article as the result before it."""
    return _take_first(np.flatnonzero(np.diff(results.article, prepend=-1) == 0).tolist())


def _take_first(places: list[int]) -> int | None:
    return min(places, default=None)


_OVERLAP = (_find_overlapping, "topic {topic}: overlaps an earlier result of document {doc}")
_INTERLEAVED = (_find_interleaved, "topic {topic}: returns to document {doc} after another document")
_SECOND = (
    _find_second,
    "topic {topic}: second result of document {doc}, but only one entry point per document is allowed",
)

_CHECKS: dict[str, list[tuple[Callable[[ToolResults], int | None], str]]] = {
    "focused": [_OVERLAP],
    "thorough": [],
    "relevant-in-context": [_INTERLEAVED, _OVERLAP],
    "best-in-context": [_INTERLEAVED, _SECOND],
}


_ONE_TAB = 8  # names shorter than a tab stop are followed by two tabs
_TOPIC_NAMES = {"MAiP": "AiP", "MAgP": "AgP"}


def render_tool_output(outcome: ToolOutcome, *, file: str, per_topic: bool) -> str:
    """Return the output of the tool for a run.

    Parameters
    ----------
    outcome
        The figures.
    file
        The name of the run's file, for the first line.
    per_topic
        Whether to print the lines of single topics too (the tool's ``-q``).

    Returns
    -------
    str
        The text, with a final line break; empty for a rejected run.
    """
    if outcome.rejected is not None:
        return ""
    lines = [f'<eval run-id="{outcome.run}" file="{file}">']
    if per_topic:
        lines += _format_lines(outcome.per_topic, overall=False)
    lines += [*_format_lines(outcome.overall, overall=True), "</eval>", ""]
    return "\n".join(lines)


def _format_lines(rows: Iterable[ToolRow], *, overall: bool) -> Iterable[str]:
    for topic, measure, value in rows:
        name = get_tool_name(measure, overall=overall)
        tabs = "\t" if len(name) >= _ONE_TAB else "\t\t"
        yield f"{name}{tabs}{topic}\t{value if isinstance(value, int) else format_java_double(value)}"


def get_tool_name(measure: str, *, overall: bool = True) -> str:
    """Return the tool's name for a measure.

    >>> get_tool_name("iP@0.1"), get_tool_name("gP@5"), get_tool_name("MAiP", overall=False)
    ('iP[0.10]', 'gP[5]', 'AiP')
    """
    name, at, where = measure.partition("@")
    if at:
        return f"{name}[{float(where):.2f}]" if name == "iP" else f"{name}[{where}]"
    return name if overall else _TOPIC_NAMES.get(name, name)


def format_java_double(value: float) -> str:
    """Return a double as Java prints it.

    It has the fewest digits that distinguish the value from its neighbours, with at least one digit on
    each side of the point; from 0.001 to below ten million in plain notation, else with an exponent.

    >>> [format_java_double(value) for value in (0.1 + 0.2, 1, 0.00054, 12345678.0, math.nan)]
    ['0.30000000000000004', '1.0', '5.4E-4', '1.2345678E7', 'NaN']
    """
    value = float(value)
    if math.isnan(value):
        return "NaN"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if math.isinf(value):
        return f"{sign}Infinity"
    if value == 0:
        return f"{sign}0.0"
    digits, exponent = _split_digits(abs(value))
    if -3 <= exponent < 7:
        return sign + _format_plain(digits, exponent)
    return f"{sign}{digits[0]}.{digits[1:]}E{exponent}"


def _split_digits(value: float) -> tuple[str, int]:
    """Return the digits of a positive double, at least two, and the exponent of the first."""
    mantissa, _, exponent = _format_scientific(value).partition("e")
    digits = mantissa.replace(".", "")
    if len(digits) == 1:
        # Java picks the nearest decimal of two digits, which need not end in 0: 4.9E-324
        mantissa, _, exponent = f"{value:.1e}".partition("e")
        digits = mantissa.replace(".", "")
    return digits, int(exponent)


def _format_scientific(value: float) -> str:
    """Return the shortest digits that read back as the value, in scientific notation."""
    shortest = repr(value)
    if "e" in shortest:
        return shortest
    whole, _, fraction = shortest.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = len(whole) - 1 if whole != "0" else len(digits) - len(fraction) - 1
    digits = digits.rstrip("0") or "0"
    return f"{digits[0]}.{digits[1:]}e{exponent}" if digits[1:] else f"{digits}e{exponent}"


def _format_plain(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + (digits.rstrip("0") or "0")
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{whole}.{fraction.rstrip('0') or '0'}"
