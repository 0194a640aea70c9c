"""The grades of elements as arrays, in the same form for every year.

================  ===========================================  ==========================
scale             exhaustivity                                 specificity
================  ===========================================  ==========================
2002              relevance 0 to 3                             coverage 0 N, 1 L, 2 S, 3 E
2003 (and 2004)   exhaustivity 0 to 3                          specificity 0 to 3
2005              0, 1, 2, or TOO_SMALL                        highlighted share
2006 and later    1 for every element                          highlighted share
================  ===========================================  ==========================

An element without a grade has the value UNGRADED, which counts as 0 where a function needs a grade.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxel.spans import Floats

__all__ = ["COVERAGES", "TOO_SMALL", "UNGRADED", "Grades"]


UNGRADED = -1.0
TOO_SMALL = -2.0
COVERAGES = "NLSE"


@dataclass(frozen=True)
class Grades:
    """Exhaustivity and specificity of elements, on the scale of one year."""

    scale: str
    exhaustivity: Floats
    specificity: Floats

    @property
    def normalised_exhaustivity(self) -> Floats:
        """Exhaustivity between 0 and 1; too small counts as 0."""
        top = {"2002": 3.0, "2003": 3.0, "2005": 2.0}.get(self.scale, 1.0)
        return np.maximum(self.exhaustivity, 0.0) / top

    @property
    def normalised_specificity(self) -> Floats:
        """Specificity between 0 and 1."""
        top = 3.0 if self.scale in {"2002", "2003"} else 1.0
        return np.maximum(self.specificity, 0.0) / top
