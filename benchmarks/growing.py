"""Growth: how time, memory and disk follow the number of documents, runs, topics and results.

Each series doubles one size and leaves the others as they are.  A fitted exponent of 1 means that twice
as much takes twice as long; one near 0 that it does not matter.  The points go to ``growth.json`` beside
the samples, for whoever wants to draw them.
"""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.evaluating import FOCUSED, evaluate_command
from benchmarks.generator.campaign import write_bare_campaign
from benchmarks.generator.collection import PROFILES, documents, write_folders
from benchmarks.lines import Line
from benchmarks.measuring import Cost, command
from benchmarks.samples import Samples

__all__ = ["measure"]

_DOUBLINGS = 4
_SMALLEST = {"documents": 2_000, "runs": 8, "topics": 30, "results": 375}
_USUAL = {"runs": 10, "topics": 120, "results": 1_500}


@dataclass(frozen=True)
class Point:
    """What one size cost; ``disk`` in megabytes, where something was written."""

    size: int
    cost: Cost
    disk: float = float("nan")


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the exponents of all series."""
    shrink = 1 if samples.scale.real else 10  # a quick run shows only that it runs
    sizes = {
        name: [max(1, smallest // shrink) * 2**step for step in range(_DOUBLINGS)]
        for name, smallest in _SMALLEST.items()
    }
    series = {"ingest, documents": [_ingested(samples, size) for size in sizes["documents"]]}
    for name in ("runs", "topics", "results"):
        usual = {key: max(1, value // shrink) for key, value in _USUAL.items()}
        series[f"evaluate, {name}"] = [
            _evaluated(samples, {**usual, name: size}, size) for size in sizes[name]
        ]
    _keep(samples, series)
    for name, points in series.items():
        yield from _lines(name, points)


def _ingested(samples: Samples, count: int) -> Point:
    folder = samples.scratch()
    write_folders(folder / "sources", documents(PROFILES["wikipedia"], count))
    doxel = Path(sysconfig.get_path("scripts")) / "doxel"
    output = folder / "collection"
    cost = command([str(doxel), "ingest", str(folder / "sources"), "-o", str(output), "--jobs", "1"])
    return Point(count, cost, sum(path.stat().st_size for path in output.rglob("*.parquet")) / 1e6)


def _evaluated(samples: Samples, sizes: Mapping[str, int], size: int) -> Point:
    folder = samples.scratch() / "campaign"
    write_bare_campaign(folder, topic_count=sizes["topics"], runs=sizes["runs"], results=sizes["results"])
    runs = sorted((folder / "fol").glob("*.run"))
    return Point(size, command(evaluate_command(["-a", str(folder / "qrels.txt")], FOCUSED, runs)))


def _keep(samples: Samples, series: Mapping[str, Sequence[Point]]) -> None:
    said = {
        name: [
            {"size": one.size, "seconds": one.cost.cpu, "megabytes": one.cost.memory, "disk": one.disk}
            for one in points
        ]
        for name, points in series.items()
    }
    (samples.folder / "growth.json").write_text(json.dumps(said, indent=1), "utf-8")


def _lines(name: str, points: Sequence[Point]) -> Iterator[Line]:
    figures = {
        "time": [one.cost.cpu for one in points],
        "memory": [one.cost.memory for one in points],
        "disk": [one.disk for one in points],
    }
    reach = f"{points[0].size:,} to {points[-1].size:,}"
    for what, values in figures.items():
        if not np.isnan(values).any():
            unit = "s of processors" if what == "time" else "MB"
            remark = f"{reach}: {values[0]:.2f} to {values[-1]:.2f} {unit}"
            yield Line(f"growth of {name}: {what}", _exponent(points, values), "", None, remark)


def _exponent(points: Sequence[Point], values: Sequence[float]) -> float:
    """Return the slope of a straight line through the points on logarithmic scales."""
    return float(np.polyfit(np.log([one.size for one in points]), np.log(values), 1)[0])
