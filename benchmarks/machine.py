"""A description of the machine on which the figures were measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from doxel.executors import count_cores

__all__ = ["describe"]

_LIBRARIES = ("doxel", "numpy", "polars", "lxml")


def describe() -> str:
    """Return the machine's processors, memory and load, and the versions that matter."""
    load = os.getloadavg()[0]
    machine = (f"{count_cores()} cores", _processor(), _memory(), platform.system(), f"load {load:.1f}")
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in _LIBRARIES)]
    lines = [f"machine   {', '.join(machine)}", f"versions  {', '.join(versions)}"]
    if load > 0.5:
        lines.append("note      other programs are running on this machine: times are the best of several")
    return "\n".join(lines)


def _processor() -> str:
    try:
        information = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [
        line.partition(":")[2].strip() for line in information.splitlines() if line.startswith("model name")
    ]
    return names[0] if names else platform.machine()


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB"
