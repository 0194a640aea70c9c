"""The runs and assessments of a small study, with names that could break a page."""

from __future__ import annotations

__all__ = ["GOLD", "MEASURES", "PNG", "RUNS"]

_TOPICS = [str(number) for number in range(1, 7)]
GOLD = [(topic, "a", 0, 10) for topic in _TOPICS]
RUNS = {
    "<b>short</b>": [(topic, "a", 0, 5) for topic in _TOPICS],
    "long | run": [(topic, "a", 0, 90) for topic in _TOPICS],
    "whole": [(topic, "a", 0, 10) for topic in _TOPICS],
}
MEASURES = ["char_rec@1", "char_prec@1"]
PNG = b"\x89PNG\r\n"
