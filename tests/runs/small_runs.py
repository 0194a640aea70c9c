"""Runs of a few results."""

from __future__ import annotations

from typing import Any

from doxel.runs import RESULTS, Run

__all__ = ["RANKED", "run_of"]

RANKED = {"rank": 1, "rsv": 0.5}


def run_of(*rows: dict[str, Any], **options: Any) -> Run:
    """Return a run from results that need no topic and no document."""
    return Run("r", RESULTS.from_rows([{"topic": "1", "doc": "d", **row} for row in rows]), **options)
