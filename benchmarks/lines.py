"""The output of a benchmark: one line per figure, with its gate and its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Gate", "Line", "render", "unavailable"]


@dataclass(frozen=True)
class Gate:
    """A bound that a figure must keep."""

    sense: Literal[">=", "<=", "<"]
    bound: float

    def holds(self, value: float) -> bool:
        """Return whether a value keeps the bound.

        >>> Gate("<", 3).holds(3), Gate("<=", 3).holds(3), Gate(">=", 3).holds(2)
        (False, True, False)
        """
        return {">=": value >= self.bound, "<=": value <= self.bound, "<": value < self.bound}[self.sense]

    def __str__(self) -> str:
        return f"{self.sense} {self.bound:g}"


@dataclass(frozen=True)
class Line:
    """A figure; without ``value`` the remark gives the reason.

    ``sure`` is false if other programs disturbed the measurement: the verdict then ends with a question mark.
    """

    name: str
    value: float | None
    unit: str = ""
    gate: Gate | None = None
    remark: str = ""
    sure: bool = True

    @property
    def verdict(self) -> str:
        """Return "ok" or "MISSED" (with "?" if not sure), "-" without a gate, or "not available"."""
        if self.value is None:
            return "not available"
        if self.gate is None:
            return "-"
        return ("ok" if self.gate.holds(self.value) else "MISSED") + "?" * (not self.sure)


def unavailable(name: str, reason: str, gate: Gate | None = None) -> Line:
    """Return the line of a figure that cannot be measured."""
    return Line(name, None, gate=gate, remark=f"not available: {reason}")


def render(lines: Sequence[Line]) -> str:
    """Return lines as a table.

    >>> print(render([Line("speed", 2.0, "x", Gate(">=", 1.0), "as hoped")]))
    benchmark  measured  gate  verdict
    speed       2.000 x  >= 1  ok       as hoped
    """
    rows = [("benchmark", "measured", "gate", "verdict", "")]
    for line in lines:
        value = "" if line.value is None else f"{line.value:.3f} {line.unit}".strip()
        verdict = "" if line.value is None else line.verdict
        rows.append((line.name, value, str(line.gate or ""), verdict, line.remark))
    first, second, third, fourth = (max(len(row[column]) for row in rows) for column in range(4))
    return "\n".join(
        f"{name:<{first}}  {value:>{second}}  {gate:<{third}}  {verdict:<{fourth}}  {remark}".rstrip()
        for name, value, gate, verdict, remark in rows
    )
