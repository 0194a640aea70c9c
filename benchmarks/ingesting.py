"""Ingestion: against lxml's bare parse of the same files, the size of the element table, two workers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

from benchmarks.lines import Gate, Line, unavailable
from benchmarks.measuring import Cost, UnavailableError, best_of, here, quiet
from benchmarks.samples import Samples
from doxel.documents.ingestion import ingest
from doxel.documents.manifest import read_manifest

__all__ = ["measure"]

_SPEED, _SIZE = Gate(">=", 0.3), Gate("<=", 5.0)


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the figures of ingestion."""
    parts = sorted(samples.sources().iterdir(), key=lambda folder: int(folder.name.removeprefix("part-")))
    yield from _against_parsing("ieee", parts[: samples.scale.ingest_parts], samples)
    if samples.scale.real:
        yield from _real(samples)
    yield _two_workers(samples)


def _real(samples: Samples) -> Iterator[Line]:
    try:
        articles = samples.plos()
    except UnavailableError as reason:
        yield unavailable("ingest plos: speed of lxml's parse", str(reason), _SPEED)
    else:
        yield from _against_parsing("plos", [articles], samples)


def _against_parsing(name: str, sources: Sequence[Path], samples: Samples) -> Iterator[Line]:
    files = [str(path) for source in sources for path in sorted(source.rglob("*.xml"))]
    megabytes = sum(Path(file).stat().st_size for file in files) / 1e6
    output = samples.scratch() / "collection"

    def parse() -> None:
        for file in files:
            etree.parse(file)

    best = best_of(
        min(3, samples.scale.repetitions),
        {"parse": lambda: here(parse), "ingest": lambda: _ingest(sources, output, jobs=1)},
    )
    ratio = best["parse"].wall / best["ingest"].wall
    by_cpu = best["parse"].cpu / best["ingest"].cpu
    remark = f"{megabytes:.0f} MB: ingest {best['ingest']}; parse {best['parse']}; by processors {by_cpu:.2f}"
    yield Line(f"ingest {name}: speed of lxml's parse", ratio, "x", _SPEED, remark, quiet(best))
    manifest = read_manifest(output)
    elements = sum(part.elements for part in manifest.parts)
    stored = sum((output / part.name / "elements.parquet").stat().st_size for part in manifest.parts)
    remark = f"{elements:,} elements in {len(manifest.parts)} parts"
    yield Line(f"ingest {name}: bytes per element", stored / elements, "", _SIZE, remark)


def _two_workers(samples: Samples) -> Line:
    source, output = samples.sources(), samples.scratch() / "collection"
    best = best_of(
        min(2, samples.scale.repetitions),
        {
            "one": lambda: _ingest([source], output, jobs=1),
            "two": lambda: _ingest([source], output, jobs=2),
        },
    )
    remark = f"one {best['one'].wall:.2f} s, two {best['two'].wall:.2f} s"
    return Line("ingest: time of two workers, of one", best["two"].wall / best["one"].wall, "x", None, remark)


def _ingest(sources: Sequence[Path], output: Path, *, jobs: int) -> Cost:
    shutil.rmtree(output, ignore_errors=True)
    return here(lambda: ingest([str(source) for source in sources], str(output), jobs=jobs))
