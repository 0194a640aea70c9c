"""Structural relevance against XCG: what each sees in the first ten results (source 002).

SRP@k weighs a relevant result by the chance that it is met in isolation and knows no ideal base; nxCG@k
divides what was gained by what an ideal ranking gains.  The study puts them side by side for every
topic and run, as the slides of 2007 did: over topics, one point a run; topic by topic; and rank by
rank for the topic on which they disagree most.
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
from doxel.measures.table import by_name
from doxel.statistics.correlation import kendall_tau, tau_ap
from doxel.studies.declare import Panel, StudyResult
from doxel.studies.material import gather
from doxel.studies.setting import AS_IT_IS, Setting
from doxel.wording import counted

__all__ = ["MEASURES", "StructuralRelevance", "structural_relevance"]

MEASURES = ("SRP@10", "nxCG(task=thorough)@10")


@dataclass(frozen=True, kw_only=True)
class StructuralRelevance(StudyResult):
    """Two measures side by side, called one (SRP) and other (XCG).

    ``scores`` has one row a topic and run: one, other.  ``runs`` has their means, places and the overlap
    among the first results.  ``topics`` has one row a topic: tau of its runs, and the mean difference.
    ``ranks`` has the scores of one topic at each rank: measure, run, rank, score.
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
        """Runs over topics, then topics, then the one that is drawn rank by rank."""
        last = self.ranks.filter(pl.col("rank") == pl.col("rank").max())
        panels = [
            Panel("runs", f"Over topics: {self.one} and {self.other} of each run", self.runs),
            Panel("topics", "Topic by topic: how far the two rank the runs alike", self.topics),
            Panel("scores", "Every topic and run", self.scores, self.scores.clear()),
        ]
        if self.topic is not None:
            wide = last.pivot("measure", index="run", values="score", maintain_order=True)
            panels.append(Panel("ranks", f"Topic {self.topic}, on which they agree least", self.ranks, wide))
        return tuple(panels)

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """How far the two agree, and where they do not."""
        known = self.topics.filter(pl.col("tau").is_finite())
        first = (
            f"Over topics, tau between {self.one} and {self.other} is {self.tau:.2f} "
            f"(tau_AP {self.tau_ap:.2f})."
        )
        said = [first]
        if known.height:
            taus = known["tau"].to_numpy()
            said.append(
                f"In single topics tau runs from {taus.min():.2f} to {taus.max():.2f}, {taus.mean():.2f} in "
                f"the mean of {counted(len(taus), 'topic')}; it is 1 in {int((taus == 1).sum())}."
            )
        moved = self.runs.filter(pl.col("rank_one") != pl.col("rank_other"))
        if moved.height:
            furthest = moved.sort((pl.col("rank_one") - pl.col("rank_other")).abs(), descending=True)
            one = furthest.row(0, named=True)
            said.append(
                f"{moved.height} of {self.runs.height} runs change places; {one['run']} most: place "
                f"{one['rank_one']} by {self.one}, {one['rank_other']} by {self.other}; "
                f"{one['overlap']:.0%} of its first results overlap another of them."
            )
        spread = self.runs.select(pl.corr("overlap", pl.col("one") - pl.col("other"))).item()
        if spread is not None and np.isfinite(spread):
            said.append(
                f"Across runs the difference between the two goes with overlap: Pearson's r is {spread:.2f}."
            )
        return tuple(said)


def structural_relevance(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    **scoring: Any,
) -> StructuralRelevance:
    """Put two measures with a cutoff side by side; without a word about it, SRP@10 and nxCG@10."""
    material = gather(runs, assessments, collection, scoring)
    wanted = material.measures(measures or list(MEASURES))
    if len(wanted) != 2 or any(not isinstance(one.at, int) for one in wanted):
        raise InputError(
            "a study of structural relevance",
            wanted="two measures at a rank, such as SRP@10 and nxCG@10",
            found=", ".join(one.name for one in wanted),
        )
    one, other = wanted
    last = max(one.at, other.at)
    overlap = by_name()["overlap"] @ last
    by_rank = [measure @ rank for measure in wanted for rank in range(1, measure.at + 1)]
    scored = material.under([Setting(AS_IT_IS)], by_rank)
    frame = scored.scores.filter(pl.col("score").is_finite())
    overlaps = material.score([overlap]).means.select("run", overlap="score")
    scores = _side_by_side(frame, one, other)
    table, topics = _runs(scores, overlaps), _topics(scores)
    least = topics.filter(pl.col("tau").is_finite()).sort("tau", maintain_order=True)
    topic = least["topic"][0] if least.height else None
    return StructuralRelevance(
        one=one.name,
        other=other.name,
        scores=scores,
        runs=table,
        topics=topics,
        ranks=_ranks(frame, wanted, topic),
        topic=topic,
        tau=kendall_tau(table["one"], table["other"]),
        tau_ap=tau_ap(table["one"], table["other"]),
        warnings=scored.warnings,
        rejected=scored.rejected,
        parameters={"measures": [one.name, other.name]},
    )


def _side_by_side(frame: pl.DataFrame, one: Measure, other: Measure) -> pl.DataFrame:
    def of(measure: Measure, name: str) -> pl.DataFrame:
        return frame.filter(pl.col("measure") == measure.name).select(
            "topic", "run", pl.col("score").alias(name)
        )

    return of(one, "one").join(of(other, "other"), on=["topic", "run"], how="inner", maintain_order="left")


def _runs(scores: pl.DataFrame, overlaps: pl.DataFrame) -> pl.DataFrame:
    means = scores.group_by("run", maintain_order=True).agg(pl.col("one").mean(), pl.col("other").mean())
    places = [
        pl.col(name).round(12).rank("min", descending=True).cast(pl.Int64).alias(f"rank_{name}")
        for name in ("one", "other")
    ]
    return means.with_columns(places).join(overlaps, on="run", how="left", maintain_order="left")


def _topics(scores: pl.DataFrame) -> pl.DataFrame:
    rows = [
        {
            "topic": key[0],
            "runs": part.height,
            "tau": kendall_tau(part["one"], part["other"]),
            "one": part["one"].mean(),
            "other": part["other"].mean(),
        }
        for key, part in scores.group_by("topic", maintain_order=True)
    ]
    schema = {"topic": pl.String, "runs": pl.Int64, "tau": pl.Float64, "one": pl.Float64, "other": pl.Float64}
    return pl.DataFrame(rows, schema=schema)


def _ranks(frame: pl.DataFrame, wanted: Sequence[Measure], topic: str | None) -> pl.DataFrame:
    names = [
        (str(measure @ rank), measure.name, rank) for measure in wanted for rank in range(1, measure.at + 1)
    ]
    table = pl.DataFrame(
        names, schema={"measure": pl.String, "of": pl.String, "rank": pl.Int64}, orient="row"
    )
    mine = frame.filter(pl.col("topic") == (topic or "")).join(
        table, on="measure", how="inner", maintain_order="left"
    )
    return mine.select("run", "rank", "score", measure="of")
