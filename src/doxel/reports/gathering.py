"""Findings as one JSON object: all that the page shows, and all that is needed to make it again."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from doxel._version import __version__
from doxel.evaluation.agreement import PERSISTENCE
from doxel.evaluation.comparison import Comparison
from doxel.evaluation.evaluation import Rejection
from doxel.evaluation.findings import Findings
from doxel.evaluation.provenance import SourceFile
from doxel.evaluation.showing import LONGEST, ShownDocument
from doxel.measures.table import lower_is_better
from doxel.reports.plain import plain
from doxel.statistics.groups import shortened

__all__ = ["FORMAT", "gather"]

FORMAT = 1  # of the object; raised when a page can no longer be made from an older one

_RESULT = ("rank", "start", "end", "relevant", "new", "new_relevant", "path")


def gather(
    findings: Findings,
    *,
    title: str,
    files: Iterable[SourceFile] = (),
    topic_titles: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return everything that there is to say, as plain data; what is no number is None.

    Runs, topics and measures are listed once and elsewhere meant by their number.
    """
    titles = topic_titles or {}
    run_number = {run: place for place, run in enumerate(findings.all_runs)}
    return {
        "format": FORMAT,
        "title": title,
        "runs": list(findings.all_runs),
        "topics": [{"id": topic, "title": titles.get(topic)} for topic in findings.topics],
        "measures": list(findings.measures),
        "lower": [lower_is_better(name) for name in findings.measures],
        "main": findings.measures.index(findings.main),
        "baseline": run_number[findings.baseline],
        "scores": _scores(findings),
        "means": _means(findings),
        "comparisons": [_comparison(findings, name, run_number) for name in findings.measures],
        "curves": _curves(findings, run_number),
        "agreement": _agreement(findings),
        "overlap": _overlap(findings),
        "documents": [_document(one, run_number, titles) for one in findings.documents],
        "longest": LONGEST,
        "depth": findings.settings.depth,
        "skipped": _skipped(findings),
        "warnings": _warnings(findings),
        "parameters": plain(
            {**findings.evaluation.parameters, **asdict(findings.settings), "baseline": findings.baseline}
        ),
        "options": plain(dict(options or {})),
        "files": [asdict(one) for one in files],
        "collection": _collection(findings),
        "versions": {
            "doxel": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "polars": pl.__version__,
        },
    }


def _scores(findings: Findings) -> list[list[list[float | None] | None]]:
    """Return scores as measures x runs x topics; None for a run that a measure has not scored."""
    place = {topic: number for number, topic in enumerate(findings.topics)}
    found: list[list[list[float | None] | None]] = []
    for measure in findings.measures:
        rows: dict[str, list[float | None]] = {}
        table = findings.evaluation.scores.filter(pl.col("measure") == measure)
        for run, topic, score in table.select("run", "topic", "score").iter_rows():
            rows.setdefault(run, [None] * len(place))[place[topic]] = plain(score)
        found.append([rows.get(run) for run in findings.all_runs])
    return found


def _means(findings: Findings) -> list[list[dict[str, Any] | None]]:
    """Return means as measures x runs, each with its interval and its number of topics."""
    joined = findings.evaluation.means.join(
        findings.intervals, on=["run", "measure"], how="left", maintain_order="left"
    )
    by_key = {(row["run"], row["measure"]): row for row in joined.iter_rows(named=True)}
    names = ("score", "low", "high", "topics", "undefined")
    return [
        [
            None
            if (row := by_key.get((run, measure))) is None
            else plain({name: row[name] for name in names})
            for run in findings.all_runs
        ]
        for measure in findings.measures
    ]


def _comparison(findings: Findings, measure: str, number: Mapping[str, int]) -> dict[str, Any] | None:
    compared: Comparison | None = findings.comparisons.get(measure)
    if compared is None:
        return None
    pairs = compared.pairs.to_dicts() if compared.baseline is not None else []
    return {
        "settings": plain(compared.settings),
        "groups": {
            str(number[run]): shortened(letters)
            for run, letters in zip(compared.runs, compared.groups, strict=True)
        },
        "friedman": plain(compared.friedman_or_why[0]),
        "pairs": [
            plain({**pair, "run": number[pair["run"]], "other": number[pair["other"]]}) for pair in pairs
        ],
    }


def _warnings(findings: Findings) -> list[str]:
    """Return all that was left out, once each."""
    missing = [compared.friedman_or_why[1] for compared in findings.comparisons.values()]
    found = [*findings.evaluation.warnings, *findings.points.warnings, *filter(None, missing)]
    return list(dict.fromkeys(found))


def _curves(findings: Findings, number: Mapping[str, int]) -> list[dict[str, Any]]:
    found = []
    for one in findings.curves:
        means = findings.mean_curves[one.name]
        lines = [
            {
                "run": number[run],
                **{name: plain(part[name].to_list()) for name in ("at", "x", "mean", "low", "high")},
            }
            for (run,), part in means.partition_by("run", as_dict=True, maintain_order=True).items()
        ]
        said = {"name": one.name, "about": one.about, "x_label": one.x_label, "y_label": one.y_label}
        found.append({**said, "over_ranks": one.over_ranks, "lines": lines})
    return found


def _agreement(findings: Findings) -> dict[str, Any] | None:
    """Return tau, tau_AP and RBO as measures x measures."""
    table = findings.agreement
    if table is None:
        return None
    place = {name: number for number, name in enumerate(findings.measures)}
    size = len(place)
    matrices: dict[str, list[list[float | None]]] = {
        name: [[1.0 if row == column else None for column in range(size)] for row in range(size)]
        for name in ("tau", "tau_ap", "rbo")
    }
    for row in table.iter_rows(named=True):
        for name, matrix in matrices.items():
            matrix[place[row["measure"]]][place[row["other"]]] = plain(row[name])
    return {**matrices, "persistence": PERSISTENCE}


def _overlap(findings: Findings) -> dict[str, Any] | None:
    found = findings.shared
    if found is None:
        return None
    return {
        "results": plain(found.results.round(6)),
        "characters": plain(found.characters.round(6)),
    }


def _document(one: ShownDocument, number: Mapping[str, int], titles: Mapping[str, str]) -> dict[str, Any]:
    results: dict[str, list[list[Any]]] = {}
    for row in one.results.sort("rank", maintain_order=True).iter_rows(named=True):
        results.setdefault(str(number[row["run"]]), []).append([row[name] for name in _RESULT])
    return {
        "topic": one.topic,
        "title": titles.get(one.topic),
        "doc": one.doc,
        "size": one.size,
        "text": one.text,
        "judged": one.judged,
        "graded": one.graded,
        "highlights": [list(span) for span in one.highlights],
        "bep": one.bep,
        "blocks": [[block.start, block.end, block.kind, block.line] for block in one.blocks],
        "columns": list(_RESULT),
        "results": results,
    }


def _skipped(findings: Findings) -> list[dict[str, Any]]:
    """Return what was refused, one row a run and reason, with the measures and curves it concerns."""
    curve_of = {point.name: one.name for one in findings.curves for point in one.measures}
    asked = set(findings.measures) | {one.measure for one in findings.evaluation.rejected}
    found: dict[tuple[str, str], dict[str, None]] = {}
    rejected: Sequence[Rejection] = (*findings.evaluation.rejected, *findings.points.rejected)
    for one in rejected:
        name = one.measure if one.measure in asked else f"the curve {curve_of.get(one.measure, one.measure)}"
        found.setdefault((one.run, one.reason), {})[name] = None
    return [{"run": run, "what": list(names), "reason": reason} for (run, reason), names in found.items()]


def _collection(findings: Findings) -> dict[str, Any] | None:
    collection = findings.collection
    if collection is None:
        return None
    return {
        "name": str(collection.folder),
        "documents": len(collection),
        "fingerprint": collection.fingerprint,
    }
