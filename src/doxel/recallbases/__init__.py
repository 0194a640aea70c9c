"""Recall bases: what there is to find, full and ideal."""

from doxel.recallbases.elements import ElementBase, element_base
from doxel.recallbases.ideal import ideal

__all__ = ["ElementBase", "element_base", "ideal"]
