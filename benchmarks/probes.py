"""Single calls, each timed in a process of its own: ``python -m benchmarks.probes NAME ARGUMENT...``.

Imports are done before the clock starts; all other costs of a first call are included.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["PROBES"]


def _split(path: str) -> Callable[[], object]:
    def read() -> list[list[str]]:
        with Path(path).open(encoding="utf-8") as stream:
            return [line.split() for line in stream]

    return read


def _read_run(path: str) -> Callable[[], object]:
    from doxel.runs import read_run

    return lambda: read_run(path)


def _read_assessments(path: str) -> Callable[[], object]:
    from doxel.assessments import read_assessments

    return lambda: read_assessments(path)


def _parse(path: str) -> Callable[[], object]:
    from lxml import etree

    return lambda: etree.parse(path)


def _resolve(path: str, collection: str) -> Callable[[], object]:
    from doxel.documents import read_collection
    from doxel.runs import read_run
    from doxel.runs.result_spans import resolve_run

    run = read_run(path)
    return lambda: resolve_run(run, read_collection(collection))


def _resolve_again(path: str, collection: str) -> Callable[[], object]:
    from doxel.documents import read_collection
    from doxel.runs import read_run
    from doxel.runs.result_spans import resolve_run

    run, opened = read_run(path), read_collection(collection)
    resolve_run(run, opened)
    return lambda: resolve_run(run, opened)


def _evaluate_parquet(run: str, gold: str, *measures: str) -> Callable[[], object]:
    import polars as pl

    from doxel.evaluation import evaluate

    return lambda: evaluate(pl.read_parquet(run), gold, measures)


PROBES: dict[str, Callable[..., Callable[[], object]]] = {
    "split": _split,
    "read_run": _read_run,
    "parse": _parse,
    "resolve": _resolve,
    "resolve_again": _resolve_again,
    "assessments": _read_assessments,
    "evaluate_parquet": _evaluate_parquet,
}


def _main(name: str, *arguments: str) -> None:
    call = PROBES[name](*arguments)
    wall, cpu = time.perf_counter(), time.process_time()
    value = call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    del value  # freed after the clock has stopped, in all probes
    json.dump({"wall": wall, "cpu": cpu}, sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
