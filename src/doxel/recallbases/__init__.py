"""Recall bases: the relevant elements of each topic, all of them or the ideal ones.

How data flows through this room:

1. :mod:`~doxel.recallbases.element_base` takes the judged pairs of topic and document, and builds all their
   elements with sizes and grades; a quantisation gives their gains.
2. :mod:`~doxel.recallbases.ideal_base` marks the elements that a perfect system would return.
3. :mod:`~doxel.recallbases.recall_base_table` writes either base as a table (``doxel.recall_base``).
"""

from doxel.recallbases.element_base import ElementBase, build_element_base
from doxel.recallbases.ideal_base import choose_ideal

__all__ = ["ElementBase", "build_element_base", "choose_ideal"]
