"""A pool made the slow way, with a hat for each topic: run after run, round after round."""

from __future__ import annotations

Ranked = list[str]  # the documents of a run's results, in rank order


def steps(ranked: Ranked, count: str) -> list[list[str]]:
    """Cut a ranking into steps: what a run puts in when it is its turn."""
    if count == "results":
        return [[doc] for doc in ranked]
    cut: list[list[str]] = []
    for place, doc in enumerate(ranked):
        if doc in ranked[:place]:
            cut[-1].append(doc)
        else:
            cut.append([doc])
    return cut


def pooled(rankings: list[Ranked], *, depth: int | None, documents: int | None, count: str) -> list[str]:
    """Return the documents of a topic in the order in which they enter the pool."""
    cuts = [steps(ranked, count) for ranked in rankings]
    entered: list[str] = []
    for turn in range(depth if depth is not None else max(map(len, cuts), default=0)):
        for cut in cuts:
            for doc in cut[turn] if turn < len(cut) else []:
                if doc not in entered:
                    entered.append(doc)
            if documents is not None and len(entered) == documents:
                return entered
    return entered
