"""The data files of the bundled campaign, made from the handbook, its topics and the assessors' marks."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tools.demo_data.demo_assessments import highlighted, write_demo_assessments
from tools.demo_data.demo_runs import make_runs
from tools.demo_data.handbook_markdown import markdown_highlights, write_handbook_markdown

from doxel.assessments import write_assessments
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest

__all__ = ["DATA", "make_demo_files"]

DATA = Path(__file__).resolve().parents[2] / "src" / "doxel" / "data"


def make_demo_files(target: Path = DATA / "demo") -> None:
    """Write runs, assessments and the Markdown handbook to ``target``, by default into the package."""
    for name in ("assessments", "handbook-markdown"):  # files of documents or topics that are gone
        shutil.rmtree(target / name, ignore_errors=True)
    make_runs(DATA / "handbook", DATA / "demo" / "topics.xml", target / "runs")
    with tempfile.TemporaryDirectory() as folder:
        ingest(DATA / "handbook", Path(folder) / "collection")
        collection = read_collection(Path(folder) / "collection")
        write_demo_assessments(collection, target / "assessments")
        articles = write_handbook_markdown(DATA / "handbook", target / "handbook-markdown")
        gold = markdown_highlights(highlighted(collection), articles)
        write_assessments(gold, target / "handbook-markdown.jsonl", "jsonl")
