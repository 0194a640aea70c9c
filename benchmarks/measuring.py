"""Measuring time and memory: in this process, or of a process of its own.

Other programs may be running on the machine.  Commands to compare are therefore measured in turns, several
times, and the best of each counts, because noise only adds.  Ratios of processor time are those of medians,
because other programs slow down the processors for both sides.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Cost", "UnavailableError", "best_of", "command", "here", "median_of", "probe", "quiet"]

_ROOT = Path(__file__).resolve().parents[1]
_TIME_LIMIT = 60  # seconds for one process
_FIGURES = ("wall", "cpu", "memory")
_PATIENCE = 12  # seconds after which no further turns are taken


class UnavailableError(Exception):
    """The program to measure cannot run; the message gives the reason."""


@dataclass(frozen=True)
class Cost:
    """The cost of a call or a process: seconds of wall clock and of processors, and peak megabytes."""

    wall: float
    cpu: float
    memory: float = float("nan")

    @property
    def disturbed(self) -> bool:
        """Whether it waited much longer than it worked, because other programs used the processors."""
        return self.wall > 1.15 * self.cpu + 0.02

    def __str__(self) -> str:
        return f"{self.wall:.3f} s, {self.cpu:.3f} s of processors" + ", disturbed" * self.disturbed

    def least(self, other: Cost) -> Cost:
        """Return the lesser of each figure."""
        return Cost(min(self.wall, other.wall), min(self.cpu, other.cpu), min(self.memory, other.memory))


def best_of(repetitions: int, measured: Mapping[str, Callable[[], Cost]]) -> dict[str, Cost]:
    """Measure everything in turns, and return the least wall time, processor time and memory of each.

    There are ``repetitions`` turns.  While other programs disturb the measurement, further turns follow, up
    to twice as many, until ``_PATIENCE`` seconds have passed; after a single turn there are none.
    """
    best: dict[str, Cost] = {}
    began = time.monotonic()
    for turn in range(3 * repetitions if repetitions > 1 else 1):
        if turn >= repetitions and (quiet(best) or time.monotonic() - began > _PATIENCE):
            break
        for name, measure in measured.items():
            cost = measure()
            best[name] = cost.least(best[name]) if name in best else cost
    return best


def median_of(repetitions: int, measured: Mapping[str, Callable[[], Cost]]) -> dict[str, Cost]:
    """Measure everything in turns, and return the median wall time, processor time and memory of each."""
    turns = [{name: measure() for name, measure in measured.items()} for _ in range(repetitions)]
    return {
        name: Cost(*(statistics.median(getattr(turn[name], figure) for turn in turns) for figure in _FIGURES))
        for name in measured
    }


def quiet(best: Mapping[str, Cost]) -> bool:
    """Return whether each was measured at least once without being disturbed."""
    return not any(timing.disturbed for timing in best.values())


def here(function: Callable[[], object]) -> Cost:
    """Measure a call in this process, with the workers that it starts and ends."""
    wall, cpu = time.perf_counter(), _processors()
    function()
    return Cost(time.perf_counter() - wall, _processors() - cpu)


def _processors() -> float:
    """Return the seconds of processors that this process and its ended children have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def command(arguments: Sequence[str], *, limit: int = _TIME_LIMIT) -> Cost:
    """Measure a whole process, from its start to its end; raise UnavailableError if it fails.

    It is stopped after ``limit`` seconds.
    """
    return _launch(arguments, limit)[0]


def probe(name: str, *arguments: str) -> Cost:
    """Measure one call inside a fresh process, without the start of the process: see ``probes.py``."""
    cost, output = _launch([sys.executable, "-m", "benchmarks.probes", name, *arguments])
    report = json.loads(output)
    return Cost(report["wall"], report["cpu"], cost.memory)


def _launch(arguments: Sequence[str], limit: int = _TIME_LIMIT) -> tuple[Cost, str]:
    launched = subprocess.run(
        [sys.executable, "-m", "benchmarks.launcher", str(limit), *arguments],
        capture_output=True,
        cwd=_ROOT,
        check=False,
    )
    if launched.returncode:
        raise UnavailableError(_last_line(launched.stderr.decode("utf-8", "replace")))
    report: dict[str, Any] = json.loads(launched.stdout)
    if report["status"] < 0:
        ended = "stopped, not done" if report["wall"] >= limit else f"ended by signal {-report['status']}"
        raise UnavailableError(f"{ended} after {report['wall']:.0f} s ({report['cpu']:.1f} s of processors)")
    if report["status"]:
        raise UnavailableError(_last_line(report["errors"]) or f"exit status {report['status']}")
    return Cost(report["wall"], report["cpu"], report["memory"]), report["output"]


def _last_line(errors: str) -> str:
    return next((line.strip() for line in reversed(errors.splitlines()) if line.strip()), "")[:200]
