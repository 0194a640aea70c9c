"""Structural relevance against XCG: a comparison on the first ten results (source 002).

SRP@k weighs a relevant result by the probability that it is met in isolation and has no ideal base; nxCG@k
divides the gain by that of an ideal ranking.  The study compares the two for every topic and run, as the
slides of 2007 did: over topics, one point per run; topic by topic; and rank by rank for the topic on which
they disagree most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.measures import Measure
from doxel.measures.measure_table import map_measures
from doxel.statistics.rank_correlation import compute_kendall_tau, compute_tau_ap
from doxel.studies.study_data import AS_IT_IS, Setting, load_study_data
from doxel.studies.study_declaration import Panel, StudyResult
from doxel.wording import format_share, pluralise

__all__ = ["MEASURES", "StructuralRelevanceStudy", "study_structural_relevance"]

MEASURES = ("SRP@10", "nxCG(task=thorough)@10")


@dataclass(frozen=True, kw_only=True)
class StructuralRelevanceStudy(StudyResult):
    """Two measures side by side, called one (SRP) and other (XCG).

    ``scores`` has one row per topic and run: one, other.  ``runs`` has their means, ranks and the overlap
    among the first results.  ``topics`` has one row per topic: tau of its runs, and the means of both
    measures.  ``ranks`` has the scores of one topic at each rank: measure, run, rank, score.
    """

    one: str
    other: str
    scores: pl.DataFrame
    runs: pl.DataFrame
    topics: pl.DataFrame
    ranks: pl.DataFrame
    topic: str | None
    tau: float
    tau_ap: float

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """The runs over topics, the topics, and the topic that is shown rank by rank."""
        last = self.ranks.filter(pl.col("rank") == pl.col("rank").max())
        panels = [
            Panel("runs", f"Over topics: {self.one} and {self.other} of each run", self.runs),
            Panel("topics", "Topic by topic: agreement of the two rankings of runs", self.topics),
            Panel("scores", "Every topic and run", self.scores, self.scores.clear()),
        ]
        if self.topic is not None:
            wide = last.pivot("measure", index="run", values="score", maintain_order=True)
            panels.append(Panel("ranks", f"Topic {self.topic}, on which they agree least", self.ranks, wide))
        return tuple(panels)

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The agreement of the two measures, and the topics and runs on which they disagree."""
        defined = self.topics.filter(pl.col("tau").is_finite())
        first = (
            f"Over topics, tau between {self.one} and {self.other} is {self.tau:.2f} "
            f"(tau_AP {self.tau_ap:.2f})."
        )
        sentences = [first]
        if defined.height:
            taus = defined["tau"].to_numpy()
            sentences.append(
                f"In single topics tau ranges from {taus.min():.2f} to {taus.max():.2f}, with a mean of "
                f"{taus.mean():.3f} over {pluralise(len(taus), 'topic')}; "
                f"it is 1 in {int((taus == 1).sum())}."
            )
        moved = self.runs.filter(pl.col("rank_one") != pl.col("rank_other"))
        if moved.height:
            furthest = moved.sort((pl.col("rank_one") - pl.col("rank_other")).abs(), descending=True)
            run = furthest.row(0, named=True)
            sentences.append(
                f"{moved.height} of {self.runs.height} runs change rank; {run['run']} changes most: rank "
                f"{run['rank_one']} by {self.one}, {run['rank_other']} by {self.other}; "
                f"{format_share(run['overlap'])} of its first results overlap another of them."
            )
        correlation = self.runs.select(pl.corr("overlap", pl.col("one") - pl.col("other"))).item()
        if correlation is not None and np.isfinite(correlation):
            sentences.append(
                f"Across runs, the difference between the two correlates with overlap: Pearson's r is "
                f"{correlation:.2f}."
            )
        return tuple(sentences)


def study_structural_relevance(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    **scoring: Any,
) -> StructuralRelevanceStudy:
    """Compare two measures with a cutoff; the default is SRP@10 and nxCG@10."""
    data = load_study_data(runs, assessments, collection, scoring)
    studied_measures = data.measures(measures or list(MEASURES))
    if len(studied_measures) != 2 or any(not isinstance(measure.at, int) for measure in studied_measures):
        raise InputError(
            "a study of structural relevance",
            wanted="two measures with a cutoff, such as SRP@10 and nxCG@10",
            found=", ".join(measure.name for measure in studied_measures),
        )
    first, second = studied_measures
    last = max(first.at, second.at)
    overlap = map_measures()["overlap"] @ last
    by_rank = [measure @ rank for measure in studied_measures for rank in range(1, measure.at + 1)]
    setting_scores = data.score_under([Setting(AS_IT_IS)], by_rank)
    frame = setting_scores.scores.filter(pl.col("score").is_finite())
    overlaps = data.score([overlap]).means.select("run", overlap="score")
    scores = _join_scores(frame, first, second)
    table, topics = _tabulate_runs(scores, overlaps), _tabulate_topics(scores)
    least = topics.filter(pl.col("tau").is_finite()).sort("tau", maintain_order=True)
    topic = least["topic"][0] if least.height else None
    return StructuralRelevanceStudy(
        one=first.name,
        other=second.name,
        scores=scores,
        runs=table,
        topics=topics,
        ranks=_tabulate_ranks(frame, studied_measures, topic),
        topic=topic,
        tau=compute_kendall_tau(table["one"], table["other"]),
        tau_ap=compute_tau_ap(table["one"], table["other"]),
        warnings=setting_scores.warnings,
        rejected=setting_scores.rejected,
        parameters={"measures": [first.name, second.name]},
    )


def _join_scores(frame: pl.DataFrame, first: Measure, second: Measure) -> pl.DataFrame:
    def of(measure: Measure, name: str) -> pl.DataFrame:
        return frame.filter(pl.col("measure") == measure.name).select(
            "topic", "run", pl.col("score").alias(name)
        )

    return of(first, "one").join(of(second, "other"), on=["topic", "run"], how="inner", maintain_order="left")


def _tabulate_runs(scores: pl.DataFrame, overlaps: pl.DataFrame) -> pl.DataFrame:
    means = scores.group_by("run", maintain_order=True).agg(pl.col("one").mean(), pl.col("other").mean())
    places = [
        pl.col(name).round(12).rank("min", descending=True).cast(pl.Int64).alias(f"rank_{name}")
        for name in ("one", "other")
    ]
    return means.with_columns(places).join(overlaps, on="run", how="left", maintain_order="left")


def _tabulate_topics(scores: pl.DataFrame) -> pl.DataFrame:
    rows = [
        {
            "topic": key[0],
            "runs": part.height,
            "tau": compute_kendall_tau(part["one"], part["other"]),
            "one": part["one"].mean(),
            "other": part["other"].mean(),
        }
        for key, part in scores.group_by("topic", maintain_order=True)
    ]
    schema = {"topic": pl.String, "runs": pl.Int64, "tau": pl.Float64, "one": pl.Float64, "other": pl.Float64}
    return pl.DataFrame(rows, schema=schema)


def _tabulate_ranks(
    frame: pl.DataFrame, studied_measures: Sequence[Measure], topic: str | None
) -> pl.DataFrame:
    names = [
        (str(measure @ rank), measure.name, rank)
        for measure in studied_measures
        for rank in range(1, measure.at + 1)
    ]
    table = pl.DataFrame(
        names, schema={"measure": pl.String, "of": pl.String, "rank": pl.Int64}, orient="row"
    )
    topic_rows = frame.filter(pl.col("topic") == (topic or "")).join(
        table, on="measure", how="inner", maintain_order="left"
    )
    return topic_rows.select("run", "rank", "score", measure="of")
