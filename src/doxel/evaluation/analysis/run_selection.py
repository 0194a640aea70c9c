"""Choose runs by name, by pattern, by rank, or as the baseline."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

import polars as pl

from doxel.errors import InputError
from doxel.evaluation.evaluation_result import Evaluation
from doxel.measures.measure_table import lower_is_better
from doxel.wording import did_you_mean, join_words, quote_value

__all__ = ["MOST_DRAWN", "choose_drawn_runs", "choose_runs", "rank_runs"]

MOST_DRAWN = 8
"""The number of runs that a picture distinguishes by colour, if no runs were chosen."""

_BEST = re.compile(r"best:(\d{1,6})")


def choose_runs(
    evaluation: Evaluation,
    selection: str | Sequence[str],
    *,
    measure: str | None = None,
    baseline: str | None = None,
    elsewhere: Collection[str] = (),
) -> list[str]:
    """Return the runs that a selection names, in the order of the evaluation.

    Parameters
    ----------
    evaluation
        The scores of the runs.
    selection
        Names of runs, patterns with ``*``, ``?`` or ``[]``, ``best:N`` or ``baseline``; several in a list, or
        separated by commas.  A run of exactly that name comes first.
    measure
        The measure by which runs are the best; by default the first.
    baseline
        The baseline; by default the first run.
    elsewhere
        Further runs, which are not an error and not selected, such as those of other tasks.

    Examples
    --------
    >>> from doxel import evaluate
    >>> runs = {name: [("1", "d", 0, size)] for name, size in (("bm25", 9), ("bm25-rm3", 20), ("dense", 50))}
    >>> result = evaluate(runs, [("1", "d", 0, 99)], "char_rec@5")
    >>> choose_runs(result, "bm25*"), choose_runs(result, "best:1, baseline")
    (['bm25', 'bm25-rm3'], ['bm25', 'dense'])
    """
    runs = evaluation.scores["run"].unique(maintain_order=True).to_list()
    known_runs = list(dict.fromkeys((*runs, *elsewhere)))
    items = [selection] if isinstance(selection, str) else list(selection)
    words = [word for item in items for word in ([item] if item in known_runs else _split_words(item))]
    if not words:
        raise InputError("runs to draw", wanted="names, patterns, best:N or baseline", found="none")
    chosen_runs: set[str] = set()
    for word in words:
        if word in known_runs:
            chosen_runs.add(word)
        elif word == "baseline":
            chosen_runs.add(baseline if baseline is not None else runs[0])
        elif match := _BEST.fullmatch(word):
            chosen_runs.update(rank_runs(evaluation, measure)[: int(match[1])])
        else:
            chosen_runs.update(_match_pattern(word, known_runs))
    return [run for run in runs if run in chosen_runs]


def _split_words(item: str) -> list[str]:
    return [word.strip() for word in item.split(",") if word.strip()]


def _match_pattern(word: str, known_runs: Sequence[str]) -> list[str]:
    matches = [run for run in known_runs if fnmatchcase(run, word)]
    if not matches:
        names = join_words(list(dict.fromkeys(known_runs)))
        wanted = f"a run ({names}), a pattern such as bm25*, best:N or baseline"
        suggestion = quote_value(word) + did_you_mean(word, known_runs)
        raise InputError("runs to draw", wanted=wanted, found=suggestion)
    return matches


def rank_runs(evaluation: Evaluation, measure: str | None = None) -> list[str]:
    """Return the runs with a mean by a measure, by default the first, the best one first."""
    means = evaluation.means
    name = means["measure"][0] if measure is None and means.height else measure
    table = means.filter(pl.col("measure") == name, pl.col("score").is_not_nan())
    is_descending = not lower_is_better(str(name)) if table.height else True
    return table.sort("score", descending=is_descending, maintain_order=True)["run"].to_list()


def choose_drawn_runs(
    evaluation: Evaluation,
    selection: str | Sequence[str] | None,
    *,
    measure: str | None = None,
    baseline: str | None = None,
    elsewhere: Collection[str] = (),
) -> tuple[list[str], list[str]]:
    """Return the runs to draw in colour, and those to draw in grey behind them.

    Without a selection and with more than ``MOST_DRAWN`` runs, these are the best runs and the baseline, and
    all others.
    """
    runs = evaluation.scores["run"].unique(maintain_order=True).to_list()
    if selection:
        keywords = {"measure": measure, "baseline": baseline}
        return choose_runs(evaluation, selection, **keywords, elsewhere=elsewhere), []
    if len(runs) <= MOST_DRAWN:
        return runs, []
    best = [f"best:{MOST_DRAWN - 1}", "baseline"]
    drawn_runs = choose_runs(evaluation, best, measure=measure, baseline=baseline)
    return drawn_runs, [run for run in runs if run not in drawn_runs]
