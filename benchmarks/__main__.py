"""``python -m benchmarks [NAME...]``: measures, and prints a table of ratios with their gates."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import (
    aligning,
    assessing,
    chunks,
    evaluating,
    gains,
    generating,
    growing,
    ingesting,
    reading,
    reporting,
    running,
    searching,
    users,
)
from benchmarks.lines import Line, render, unavailable
from benchmarks.machine import describe
from benchmarks.measuring import UnavailableError
from benchmarks.samples import FULL, QUICK, Samples
from doxel.errors import DoxelError

BENCHMARKS: dict[str, Callable[[Samples], Iterable[Line]]] = {
    "generator": generating.measure,
    "ingest": ingesting.measure,
    "runs": running.measure,
    "evaluate": evaluating.measure,
    "gains": gains.measure,
    "users": users.measure,
    "chunks": chunks.measure,
    "align": aligning.measure,
    "report": reporting.measure,
    "search": searching.measure,
    "assess": assessing.measure,
    "reading": reading.measure,
    "growth": growing.measure,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run benchmarks; the status is 1 if a gate is missed and ``--strict`` is set, else 0."""
    parser = _parser()
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    samples = Samples(options.data, QUICK if options.quick else FULL, say=_note)
    machine = describe()
    lines = [line for name in options.names or BENCHMARKS for line in _measure(name, samples)]
    samples.tidy()
    if options.quick:
        print("a quick run on little data: it shows that everything runs, but its figures mean nothing\n")
        lines = [replace(line, gate=None) for line in lines]
    print(render(lines))
    print(f"\n{machine}")
    return int(options.strict and any(line.verdict == "MISSED" for line in lines))


def _measure(name: str, samples: Samples) -> list[Line]:
    """Return the lines of a benchmark, or one with the reason why it cannot run; report each at once."""
    _note(f"{name} ...")
    lines: list[Line] = []
    try:
        for line in BENCHMARKS[name](samples):
            lines.append(line)
            _note(f"  {line.name}: {line.remark if line.value is None else f'{line.value:.3f} {line.unit}'}")
    except (UnavailableError, DoxelError, ImportError) as reason:
        lines.append(unavailable(name, str(reason)))
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="little data, each measured once")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a gate is missed")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(__file__).resolve().parent / "data",
        metavar="DIR",
        help="where samples are kept; default: benchmarks/data",
    )
    return parser


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
