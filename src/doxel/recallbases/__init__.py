"""Recall bases: the relevant elements of each topic, all of them or the ideal ones."""

from doxel.recallbases.elements import ElementBase, element_base
from doxel.recallbases.ideal import ideal

__all__ = ["ElementBase", "element_base", "ideal"]
