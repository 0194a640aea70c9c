"""Scorers with one fault each, and a sound one; functions for in-process audits and a program for commands.

Run as a program, ``broken_scorers.py NAME GOLD RUN`` reads JSON lines and prints ``figure: VALUE``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path


def recall(gold, run):
    """Count every relevant character once; a topic without results counts as 0."""
    return _average(
        gold, run, lambda spans, results: len(_cover(spans) & _cover(results)) / len(_cover(spans))
    )


def recall_counting_twice(gold, run):
    """Count a relevant character as often as it was retrieved."""

    def score(spans, results):
        return sum(len(_cover(spans) & _cover([result])) for result in results) / len(_cover(spans))

    return _average(gold, run, score)


def off_by_one(gold, run):
    """Take the end of a span as part of it."""

    def widen(spans):
        return _cover([(doc, start, end + 1) for doc, start, end in spans])

    return _average(gold, run, lambda spans, results: len(widen(spans) & widen(results)) / len(widen(spans)))


def first_line_only(gold, run):
    """Score against the gold that comes first in the file."""
    return recall({topic: spans[:1] for topic, spans in gold.items()}, run)


def reciprocal_rank_by_line(gold, run):
    """Find the first relevant result in the order of the lines, whatever their ranks."""

    def score(spans, results):
        hits = [place for place, result in enumerate(results, 1) if _cover(spans) & _cover([result])]
        return 1 / hits[0] if hits else 0.0

    return _average(gold, run, score)


def prefers_early_text(gold, run):
    """Give less for text that comes late in its document."""
    late = max(start for spans in gold.values() for _, start, _ in spans)
    return recall(gold, run) / (1 + late / 100)


def knows_documents(gold, run):
    """Fail for a document whose name it has not seen before."""
    return (
        0.0 if any(doc.startswith("e") for spans in gold.values() for doc, *_ in spans) else recall(gold, run)
    )


def average_precision_by_name(gold, run):
    """Rank documents by their names, as text, instead of their scores."""

    def score(grades, scores):
        places = [place for place, doc in enumerate(sorted(scores), 1) if grades.get(doc)]
        precisions = [hits / place for hits, place in enumerate(places, 1)]
        return sum(precisions) / sum(grades.values())

    return _average(gold, run, score)


def answered_only(gold, run):
    """Average over the topics of the run."""
    return recall({topic: spans for topic, spans in gold.items() if topic in run}, run)


def stops_at_three(gold, run):
    """Fail on three results or more."""
    if any(len(results) > 2 for results in run.values()):
        raise KeyError("no room for a third result")
    return recall(gold, run)


def hangs_at_three(gold, run):
    """Never end on three results or more."""
    while any(len(results) > 2 for results in run.values()):
        time.sleep(0.01)
    return recall(gold, run)


def says_nothing(gold, run):
    """Return no number if nothing was found."""
    return recall(gold, run) or None


def _average(gold, run, score):
    return sum(score(spans, run[topic]) if topic in run else 0.0 for topic, spans in gold.items()) / len(gold)


def _cover(spans):
    return {(doc, place) for doc, start, end in spans for place in range(start, end)}


def _read(path):
    topics = {}
    with Path(path).open(encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            if "end" in row:
                topics.setdefault(row["topic"], []).append((row["doc"], row["start"], row["end"]))
    return topics


def main(name, gold, run):
    """Print the figure of a scorer; "sleeps" starts another program and waits for it."""
    if name == "sleeps":
        subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"], check=True)
    elif name == "floods":
        while True:
            sys.stdout.write("x" * 100_000)
    value = globals()[name](_read(gold), _read(run))
    if value is not None:
        sys.stdout.write(f"figure: {value:.12f}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
