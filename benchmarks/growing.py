"""Growth: how time, memory and disk follow the sizes of collections, campaigns and assessments.

Each series doubles one size and leaves the others as they are.  The cost of the command on a minimal input,
its start, is subtracted.  With a fitted exponent of 1, twice the size then takes twice as long; with an
exponent near 0, the size does not matter.  The points are written to ``growth.json`` beside the samples, and
drawn (see ``drawing.py``).
"""

from __future__ import annotations

import json
import shutil
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.aligning import write_noisy_texts
from benchmarks.drawing import LEAST, draw
from benchmarks.evaluating import evaluate_command
from benchmarks.generator.bare import LENGTH, RELEVANT
from benchmarks.generator.campaign import write_bare_campaign
from benchmarks.generator.collection import PROFILES, documents, write_folders
from benchmarks.lines import Line
from benchmarks.measuring import Cost, best_of, command
from benchmarks.samples import Samples

__all__ = ["measure"]

_SIZES = 4  # of each series, each twice the one before
_LIMIT = 600  # seconds: the largest take long if other programs use the processors
_SMALLEST = {
    "documents": 2_000,
    "runs": 8,
    "topics": 30,
    "results": 375,
    "highlights": RELEVANT,  # of a topic: half as many relevant documents, with two each
    "characters": LENGTH // 2,  # of a document; half of those of a relevant one are highlighted
    "measures": 4,
    "texts": 1_250,  # to align, with noise
}
_USUAL = {
    "runs": 10,
    "topics": 120,
    "results": 1_500,
    "highlights": 2 * RELEVANT,
    "characters": LENGTH,
    "measures": 16,
}
# of characters and of values of results: neighbours in the list share less than those of one family
_MEASURES = [
    f"{name}@{cutoff}"
    for cutoff in range(5, 500, 5)
    for name in ("char_prec", "HiXEval_R", "char_f1", "HiXEval_P")
]


@dataclass(frozen=True)
class Point:
    """The cost of one size; ``disk`` is in megabytes, if something was written."""

    size: int
    cost: Cost
    disk: float = float("nan")

    @property
    def figures(self) -> dict[str, float]:
        """The figures by name."""
        return {"seconds": self.cost.cpu, "megabytes": self.cost.memory, "disk": self.disk}


@dataclass(frozen=True)
class Series:
    """The points of one series, and the cost of the command on a minimal input."""

    start: Point
    points: tuple[Point, ...]

    def above_start(self, figure: str) -> list[float]:
        """Return a figure of each point less its start, at least the smallest value that is not noise."""
        begins = 0.0 if figure == "disk" else self.start.figures[figure]
        return [max(point.figures[figure] - begins, LEAST[figure]) for point in self.points]


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the exponents of all series."""
    shrink, count = (1, _SIZES) if samples.scale.real else (10, 2)  # a quick run shows only that it runs
    sizes = {
        name: [max(1, smallest // shrink) * 2**step for step in range(count)]
        for name, smallest in _SMALLEST.items()
    }
    usual = {key: max(1, value // shrink) for key, value in _USUAL.items()}
    ingested = tuple(_ingested(samples, size) for size in sizes["documents"])
    series = {"ingest, documents": Series(_ingested(samples, 1), ingested)}
    aligned = tuple(_aligned(samples, size) for size in sizes["texts"])
    nothing = _evaluated(samples, dict.fromkeys(usual, 1) | {"characters": LENGTH}, 1)
    for name in usual:
        scored = (_evaluated(samples, {**usual, name: size}, size) for size in sizes[name])
        series[f"evaluate, {name}"] = Series(nothing, tuple(scored))
    series["align, texts"] = Series(_aligned(samples, 1), aligned)
    draw(_keep(samples, series), samples.folder)
    for name, growth in series.items():
        yield from _lines(name, growth)


def _cheapest(samples: Samples, measured: Callable[[], Cost]) -> Cost:
    return best_of(min(2, samples.scale.repetitions), {"it": measured})["it"]


def _ingested(samples: Samples, count: int) -> Point:
    folder = samples.scratch()
    write_folders(folder / "sources", documents(PROFILES["wikipedia"], count))
    doxel = Path(sysconfig.get_path("scripts")) / "doxel"
    output = folder / "collection"

    def ingest() -> Cost:
        shutil.rmtree(output, ignore_errors=True)
        ingesting = [str(doxel), "ingest", str(folder / "sources"), "-o", str(output), "--jobs", "1"]
        return command(ingesting, limit=_LIMIT)

    cost = _cheapest(samples, ingest)
    return Point(count, cost, sum(path.stat().st_size for path in output.rglob("*.parquet")) / 1e6)


def _evaluated(samples: Samples, sizes: Mapping[str, int], size: int) -> Point:
    folder = samples.scratch() / "campaign"
    write_bare_campaign(
        folder,
        topic_count=sizes["topics"],
        runs=sizes["runs"],
        results=sizes["results"],
        relevant=max(1, sizes["highlights"] // 2),
        length=sizes["characters"],
    )
    runs = sorted((folder / "fol").glob("*.run"))
    measures = _MEASURES[: sizes["measures"]]
    scored = evaluate_command(["-a", str(folder / "qrels.txt"), "--jobs", "1"], measures, runs)
    return Point(size, _cheapest(samples, lambda: command(scored, limit=_LIMIT)))


def _aligned(samples: Samples, count: int) -> Point:
    """Measure ``doxel align`` on texts with noise; the start has one, for which the documents are indexed."""
    folder = samples.scratch()
    documents, texts = write_noisy_texts(count)
    (folder / "sources").mkdir()
    for name, text in documents.items():
        (folder / "sources" / f"{name}.txt").write_text(text, "utf-8")
    lines = [json.dumps({"topic": "1", "text": text}) for text in texts]
    (folder / "texts.jsonl").write_text("\n".join(lines), "utf-8")
    doxel = str(Path(sysconfig.get_path("scripts")) / "doxel")
    command([doxel, "ingest", str(folder / "sources"), "-o", str(folder / "collection"), "--jobs", "1"])
    files = ["-c", str(folder / "collection"), str(folder / "texts.jsonl"), "-o", str(folder / "spans.jsonl")]
    return Point(count, _cheapest(samples, lambda: command([doxel, "align", *files], limit=_LIMIT)))


def _keep(samples: Samples, series: Mapping[str, Series]) -> Path:
    description = {
        name: {
            "start": growth.start.figures,
            "points": [{"size": point.size, **point.figures} for point in growth.points],
        }
        for name, growth in series.items()
    }
    file = samples.folder / "growth.json"
    file.write_text(json.dumps(description, indent=1), "utf-8")
    return file


def _lines(name: str, series: Series) -> Iterator[Line]:
    sizes = [point.size for point in series.points]
    units = {"seconds": ("time", "s of processors"), "megabytes": ("memory", "MB"), "disk": ("disk", "MB")}
    for figure, (quantity, unit) in units.items():
        values = [point.figures[figure] for point in series.points]
        if not np.isnan(values).any():
            begins = "" if figure == "disk" else f"from {series.start.figures[figure]:.2f} at the start; "
            remark = f"{begins}{sizes[0]:,} to {sizes[-1]:,}: {values[0]:.2f} to {values[-1]:.2f} {unit}"
            slope = _exponent(sizes, series.above_start(figure))
            yield Line(f"growth of {name}: {quantity}", slope, "", None, remark)


def _exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Return the slope of a straight line through the points on logarithmic scales."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
