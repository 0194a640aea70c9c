"""A slow and obvious implementation of pooling: run after run, round after round."""

from __future__ import annotations

Ranked = list[str]  # the documents of a run's results, in rank order


def steps(ranked: Ranked, count: str) -> list[list[str]]:
    """Cut a ranking into steps: the documents that a run contributes in one round."""
    if count == "results":
        return [[doc] for doc in ranked]
    groups: list[list[str]] = []
    for rank, doc in enumerate(ranked):
        if doc in ranked[:rank]:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


def pooled(rankings: list[Ranked], *, depth: int | None, documents: int | None, count: str) -> list[str]:
    """Return the documents of a topic in the order in which they enter the pool."""
    run_steps = [steps(ranked, count) for ranked in rankings]
    pool: list[str] = []
    for turn in range(depth if depth is not None else max(map(len, run_steps), default=0)):
        for groups in run_steps:
            for doc in groups[turn] if turn < len(groups) else []:
                if doc not in pool:
                    pool.append(doc)
            if documents is not None and len(pool) == documents:
                return pool
    return pool
