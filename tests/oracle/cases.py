"""Cases: one topic each, written by hand or at random."""

from .case_model import Case, Grade, Result, Span
from .little_cases import NAMES, QRELS, element, link_in_paragraph, qrels_case, spans, tree_a
from .random_cases import random_case

__all__ = [
    "NAMES",
    "QRELS",
    "Case",
    "Grade",
    "Result",
    "Span",
    "element",
    "link_in_paragraph",
    "qrels_case",
    "random_case",
    "spans",
    "tree_a",
]
