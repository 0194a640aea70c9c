"""Mutants of audits: the laws, their random cases, and the verdicts."""

from __future__ import annotations

from tools.mutants.mutant import Mutant, edits

__all__ = ["MUTANTS"]

MUTANTS: list[Mutant] = [
    *edits(
        "auditing/laws.py",
        (
            "text beside the gold has a character of it",
            "yield Passage(topic, doc, end, min(right, end + length))",
            "yield Passage(topic, doc, end - 1, min(right, end + length))",
        ),
        (
            "the perfect answer may score anything",
            "return math.isinf(self.high) or self.after >= self.high - self.tolerance",
            "return math.isinf(self.high) or self.after >= self.low - self.tolerance",
        ),
        (
            "a character is lost where a result is split",
            "pieces = (Passage(topic, doc, start, cut), Passage(topic, doc, cut, end))",
            "pieces = (Passage(topic, doc, start, cut), Passage(topic, doc, cut + 1, end))",
        ),
        (
            "one score within the bounds is enough",
            "return all(\n            self.low - self.tolerance",
            "return any(\n            self.low - self.tolerance",
        ),
    ),
    *edits(
        "auditing/audit_cases.py",
        (
            "gold that touches is merged",
            "if stretches and passage.start < stretches[-1].end:",
            "if stretches and passage.start <= stretches[-1].end:",
        ),
        (
            "ranks begin with 0",
            "for pair in enumerate(self.list_results(topic), 1)",
            "for pair in enumerate(self.list_results(topic))",
        ),
    ),
    *edits(
        "auditing/auditor.py",
        (
            "higher is always better",
            "sign = -1.0 if figure.lower_is_better else 1.0",
            "sign = 1.0",
        ),
        (
            "a law of its kind is not held against a figure",
            "elif law.kind is not None and figure.kinds is None:",
            "elif law.kind is not None:",
        ),
    ),
]
