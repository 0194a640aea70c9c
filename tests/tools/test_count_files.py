"""The way through one evaluation stays short: how many files a reader has to follow."""

import os
import subprocess
import sys

import pytest

FIRST, LAST = "cli/main.py", "reports/score_tables.py"


@pytest.mark.parametrize(
    ("measure", "assessments", "run", "needs_collection", "most"),
    [
        ("nxCG@10", "qrels", "bm25-sections.xml", True, 62),
        ("nxCG@10", "qrels", "tfidf-leaves.run", True, 62),
        ("char_rec@10", "qrels", "windows-disjoint.run", False, 45),
        ("char_rec@10", "jsonl", "windows-overlapping.jsonl", False, 45),
    ],
)
def test_an_evaluation_enters_few_files(demo, measure, assessments, run, needs_collection, most):
    collection = ["-c", str(demo.collection)] if needs_collection else []
    runs = [str(path) for path in demo.runs if path.name == run]
    gold = str(demo.assessments[assessments])
    call = ["evaluate", "-m", measure, "-a", gold, *collection, *runs]
    done = subprocess.run(  # threads of other tests would count, too
        [sys.executable, "-m", "tools.count_files", *call],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=True,
        text=True,
    )
    *counts, total = done.stdout.splitlines()
    entered = [line.split()[1] for line in counts]
    assert total.startswith(f"{len(entered)} files")
    assert (entered[0], entered[-1]) == (FIRST, LAST)
    assert len(entered) <= most
