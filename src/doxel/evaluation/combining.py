"""The scores of all runs in one table, and what is to be said about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from doxel.evaluation.evaluation import SCORES, Evaluation, Rejection
from doxel.evaluation.jobs import Scored
from doxel.measures.names import shown_names
from doxel.runs.naming import run_names
from doxel.wording import counted, listed

__all__ = ["combine"]


def combine(scored: Sequence[Scored], *, notes: Sequence[str], parameters: Mapping[str, Any]) -> Evaluation:
    """Put the runs into one table; ids that several runs share become ``id:file``.

    ``notes`` are about all runs, and come first.
    """
    tables: list[pl.DataFrame] = [SCORES.empty()]
    rejected: list[Rejection] = []
    warnings: list[str] = []
    kept: list[pl.DataFrame] = []
    for one, name in zip(scored, run_names([(one.run, one.file) for one in scored]), strict=True):
        found = one.evaluation
        tables.append(found.scores.with_columns(run=pl.lit(name)))
        kept += [] if found.results is None else [found.results.with_columns(run=pl.lit(name))]
        rejected += [replace(rejection, run=name) for rejection in found.rejected]
        warnings += [f"{name}: {warning.removeprefix(f'{one.run}: ')}" for warning in found.warnings]
    scores = pl.concat(tables)
    said = (*notes, *_undefined_topics(scores), *_infinite_topics(scores), *warnings)
    return Evaluation(
        scores=scores,
        rejected=tuple(rejected),
        warnings=tuple(dict.fromkeys(said)),
        parameters=parameters,
        results=pl.concat(kept) if kept else None,
    )


def _undefined_topics(scores: pl.DataFrame) -> list[str]:
    """Say for which measures which topics have nothing to find."""
    empty = scores.filter(pl.col("score").is_nan()).select("topic", "measure").unique(maintain_order=True)
    by_topics = (
        empty.group_by("measure", maintain_order=True)
        .agg("topic")
        .group_by("topic", maintain_order=True)
        .agg("measure")
    )
    measures = scores["measure"].n_unique()
    said = []
    for topics, names in by_topics.iter_rows():
        for_what = "" if len(names) == measures else f" for {shown_names(names)}"
        which = counted(len(topics), "assessed topic has", "assessed topics have")
        said.append(f"{which} nothing to find{for_what} ({listed(topics)}): undefined")
    return said


def _infinite_topics(scores: pl.DataFrame) -> list[str]:
    """Say which scores are infinite, such as the reading that never finds enough."""
    never = scores.filter(pl.col("score").is_infinite()).group_by("run", "measure", maintain_order=True)
    return [
        f"{run}: {measure} is infinite for {counted(len(topics), 'topic')} ({listed(topics)}), which "
        f"{'is' if len(topics) == 1 else 'are'} left out of the mean"
        for run, measure, topics in never.agg("topic").iter_rows()
    ]
