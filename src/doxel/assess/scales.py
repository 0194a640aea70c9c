"""The scales on which documents are judged, each named after the campaign that used it first.

======  ==========  ===========  ==============================================  ===========================
scale   highlights  entry point  grades of elements                              degree, which grows upwards
======  ==========  ===========  ==============================================  ===========================
2002    no          no           relevance 0 to 3, coverage N, L, S, E           relevance
2003    no          no           exhaustivity 0 to 3, specificity 0 to 3         exhaustivity
2005    yes         no           exhaustivity 0, ? (too small), 1, 2             exhaustivity
2006    yes         yes          none                                            none
======  ==========  ===========  ==============================================  ===========================

Best entry points came in 2006: the scale of 2005 does not ask for one.  One that exists, in an imported file
or in work from before, is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from doxel.assess.judging_events import EVENT_KINDS
from doxel.errors import InputError

__all__ = ["PASSAGES", "SCALES", "SNAPPINGS", "Scale", "check_snapping", "find_scale"]

SNAPPINGS = ("word", "sentence", "element", "free")
"""The units to which a selection snaps when it is highlighted; the first is the default."""


@dataclass(frozen=True)
class Scale:
    """A scale: whether text is highlighted, and the values of each grade, lowest first."""

    name: str
    about: str
    highlights: bool
    grades: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    degree: str | None = None
    entry_point: bool = False  # whether a document with highlights needs a best entry point

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of events that the scale allows."""
        parts = {None: True, "highlights": self.highlights, "grades": bool(self.grades)}
        return frozenset(name for name, kind in EVENT_KINDS.items() if parts[kind.on])

    def as_json(self) -> dict[str, Any]:
        """Return the scale as plain data for the page."""
        grades = {name: list(values) for name, values in self.grades.items()}
        return {
            "name": self.name,
            "highlights": self.highlights,
            "entry_point": self.entry_point,
            "grades": grades,
            "degree": self.degree,
        }

    def rank(self, grades: Mapping[str, str]) -> int:
        """Return the degree of an element as a number from 0."""
        if self.degree is None:
            return 0
        return self.grades[self.degree].index(grades[self.degree])

    def find_fault(self, grades: Mapping[str, str]) -> str | None:
        """Return an error message for the grades of an element, None if they are valid.

        >>> find_scale("2005").find_fault({"exhaustivity": "3"})
        "exhaustivity: wanted one of 0, ?, 1, 2, found '3'"
        """
        if set(grades) != set(self.grades):
            wanted = " and ".join(self.grades) or "no grades on this scale"
            return f"grades: wanted {wanted}, found {', '.join(sorted(grades)) or 'none'}"
        for name, values in self.grades.items():
            if grades[name] not in values:
                return f"{name}: wanted one of {', '.join(values)}, found {grades[name]!r}"
        return None


_FOUR = ("0", "1", "2", "3")

SCALES = (
    Scale("2006", "highlights and a best entry point", highlights=True, entry_point=True),
    Scale(
        "2005",
        "highlights, and the exhaustivity of elements",
        highlights=True,
        grades={"exhaustivity": ("0", "?", "1", "2")},
        degree="exhaustivity",
    ),
    Scale(
        "2003",
        "exhaustivity and specificity of elements (2003 and 2004)",
        highlights=False,
        grades={"exhaustivity": _FOUR, "specificity": _FOUR},
        degree="exhaustivity",
    ),
    Scale(
        "2002",
        "relevance and coverage of elements",
        highlights=False,
        grades={"relevance": _FOUR, "coverage": ("N", "L", "S", "E")},
        degree="relevance",
    ),
)


PASSAGES = Scale("passages", "highlights alone", highlights=True)
"""The scale of ``doxel judge``, which campaigns do not offer."""


def find_scale(name: str) -> Scale:
    """Return the scale with a name."""
    for scale in (*SCALES, PASSAGES):
        if scale.name == name:
            return scale
    names = ", ".join(scale.name for scale in SCALES)
    raise InputError("a scale", wanted=f"one of {names}", found=repr(name))


def check_snapping(name: str) -> str:
    """Return the name of a snapping unit, or raise an error if it is not one."""
    if name in SNAPPINGS:
        return name
    raise InputError("snapping", wanted=f"one of {', '.join(SNAPPINGS)}", found=repr(name))
