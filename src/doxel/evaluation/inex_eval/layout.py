"""The tool's output format: an ``eval`` element around lines of name, topic and value, separated by tabs."""

from __future__ import annotations

from collections.abc import Iterable

from doxel.evaluation.inex_eval.numbers import java_double
from doxel.evaluation.inex_eval.outcome import Outcome, Row

__all__ = ["render", "tool_name"]

_ONE_TAB = 8  # names shorter than a tab stop are followed by two tabs
_TOPIC_NAMES = {"MAiP": "AiP", "MAgP": "AgP"}


def render(outcome: Outcome, *, file: str, per_topic: bool) -> str:
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
        lines += _lines(outcome.per_topic, overall=False)
    lines += [*_lines(outcome.overall, overall=True), "</eval>", ""]
    return "\n".join(lines)


def _lines(rows: Iterable[Row], *, overall: bool) -> Iterable[str]:
    for topic, measure, value in rows:
        name = tool_name(measure, overall=overall)
        tabs = "\t" if len(name) >= _ONE_TAB else "\t\t"
        yield f"{name}{tabs}{topic}\t{value if isinstance(value, int) else java_double(value)}"


def tool_name(measure: str, *, overall: bool = True) -> str:
    """Return the tool's name for a measure.

    >>> tool_name("iP@0.1"), tool_name("gP@5"), tool_name("MAiP", overall=False)
    ('iP[0.10]', 'gP[5]', 'AiP')
    """
    name, at, where = measure.partition("@")
    if at:
        return f"{name}[{float(where):.2f}]" if name == "iP" else f"{name}[{where}]"
    return name if overall else _TOPIC_NAMES.get(name, name)
