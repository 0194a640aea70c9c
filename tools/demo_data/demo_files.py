"""The data files of the bundled campaign, made from the handbook and its topics."""

from __future__ import annotations

from pathlib import Path

from tools.demo_data.demo_runs import make_runs

__all__ = ["DATA", "make_demo_files"]

DATA = Path(__file__).resolve().parents[2] / "src" / "doxel" / "data"


def make_demo_files(target: Path = DATA / "demo") -> None:
    """Write the runs to ``target``, by default over those in the package."""
    make_runs(DATA / "handbook", DATA / "demo" / "topics.xml", target / "runs")
