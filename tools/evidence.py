"""``python -m tools.evidence``: count the values that the tests compare doxel's figures with.

The official values are in the outputs of other programs beside the project, in ``../shared/data``, and in
``tests/golden``.  The tests compare all of them.  Without the folder only those of ``tests/golden`` count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.mutants.table import MUTANTS

from doxel.auditing.laws import LAWS

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
OUTPUTS = {
    "inex_eval": ("inex-adhoc-2009-2010/expected/*.txt", "inex-adhoc-2009-2010/tiny/*.q*.txt"),
    "trec_eval": ("trec_eval/out.*", "trec_eval/own/*.out.*"),
    "the scorers of BioASQ, Genomics, ArchEHR-QA, LoCoMo and QASPER": (
        "living/bioasq/expected.txt",
        "living/genomics/expected.txt",
        "living/archehr/expected.txt",
        "living/locomo/expected.txt",
        "living/qasper/expected.txt",
    ),
}
_VALUE = re.compile(r"\S.*\s(-?\d+(\.\d+)?([eE]-?\d+)?|nan|NaN)")
_LEFT_OUT = re.compile(r"\b(concepts|articles|triples)\b|relstring")  # what doxel does not compute


def main() -> int:
    """Print the counts."""
    for subject, count in count_evidence().items():
        print(f"{subject}: {count:,}")
    return 0


def count_evidence() -> dict[str, int]:
    """Return the number of official values by program, and the numbers of laws and mutants."""
    worked = json.loads((ROOT / "tests/golden/inex_eval-worked/expected.json").read_text("utf-8"))
    counts = {"values of inex_eval, worked example": sum(1 for _ in list_numbers(worked))}
    for program, patterns in OUTPUTS.items():
        files = [path for pattern in patterns for path in sorted(SHARED.glob(pattern))]
        counts[f"values of {program}"] = sum(map(count_values, files))
    return {**counts, "laws": len(LAWS), "mutants": len(MUTANTS)}


def list_numbers(value: Any) -> Iterator[float]:
    """Yield the numbers of a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from list_numbers(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def count_values(path: Path) -> int:
    """Count the lines of an output that end with a number."""
    lines = path.read_text("utf-8").splitlines()
    return sum(bool(_VALUE.fullmatch(line.rstrip())) and not _LEFT_OUT.search(line) for line in lines)


if __name__ == "__main__":
    raise SystemExit(main())
