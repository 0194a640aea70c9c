"""The bundled campaign as files: a handbook that is judged, with topics, runs and assessments.

The handbook of structured retrieval evaluation is its collection, 48 articles; people may read it as
documentation.  Highlights are stored as quotations and become positions here, when the files are made.
The same articles and highlights are there as Markdown with spans, for those who retrieve chunks.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from doxel.assessments import write_assessments
from doxel.campaign.demo_assessments import highlighted, write_demo_assessments
from doxel.campaign.handbook_markdown import markdown_highlights, write_handbook_markdown
from doxel.documents import read_collection
from doxel.documents.ingest import IngestReport, ingest

__all__ = ["DemoFiles", "write_demo"]

_RUN_SUFFIXES = {".run", ".xml", ".jsonl"}


@dataclass(frozen=True)
class DemoFiles:
    """Where the files of the campaign are; ``assessments`` has a file or folder for each format.

    ``markdown`` holds the handbook as Markdown, ``markdown_gold`` what is relevant in it, as spans.
    """

    handbook: Path
    collection: Path
    topics: Path
    runs: tuple[Path, ...]
    assessments: Mapping[str, Path]
    ingested: IngestReport
    markdown: Path
    markdown_gold: Path


def write_demo(folder: str | Path) -> DemoFiles:
    """Write the campaign to a folder: sources, collection, topics, runs, and assessments of all years.

    What is there from an earlier time is replaced.
    """
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    with as_file(files("doxel") / "data") as data:
        _replace_tree(data / "handbook", out / "handbook")
        shutil.copy(data / "demo" / "topics.xml", out / "topics.xml")
        runs = _copy_runs(data / "demo" / "runs", out / "runs")
    shutil.rmtree(out / "handbook.doxel", ignore_errors=True)
    report = ingest(out / "handbook", out / "handbook.doxel")
    shutil.rmtree(out / "assessments", ignore_errors=True)
    collection = read_collection(out / "handbook.doxel")
    written = write_demo_assessments(collection, out / "assessments")
    shutil.rmtree(out / "handbook-markdown", ignore_errors=True)
    articles = write_handbook_markdown(out / "handbook", out / "handbook-markdown")
    gold = markdown_highlights(highlighted(collection), articles)
    write_assessments(gold, out / "handbook-markdown.jsonl", "jsonl")
    return DemoFiles(
        handbook=out / "handbook",
        collection=out / "handbook.doxel",
        topics=out / "topics.xml",
        runs=runs,
        assessments=written,
        ingested=report,
        markdown=out / "handbook-markdown",
        markdown_gold=out / "handbook-markdown.jsonl",
    )


def _replace_tree(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def _copy_runs(source: Path, target: Path) -> tuple[Path, ...]:
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    found = sorted(path for path in source.iterdir() if path.suffix in _RUN_SUFFIXES)
    return tuple(Path(shutil.copy(path, target / path.name)) for path in found)
