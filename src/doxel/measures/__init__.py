"""Measures: one file per family, pure functions over views, each declared once.

How data flows through this room:

1. The name of a measure is parsed and looked up in :mod:`~doxel.measures.measure_table`, which lists all
   measures; :mod:`~doxel.measures.curves` does the same for curves.
2. A measure is a value (:mod:`~doxel.measures.declaration`): its name, its function, the view that it
   needs, and its parameters.
3. A view is a run as arrays: :mod:`~doxel.measures.text_views`, :mod:`~doxel.measures.gain_views` or
   :mod:`~doxel.measures.user_views`.  The evaluation builds it.
4. The function of a family (:mod:`doxel.measures.inex`, :mod:`doxel.measures.chunks`) turns the view into
   one score per topic, with the arithmetic of :mod:`~doxel.measures.rank_arithmetic`.
"""

from doxel.measures.declaration import Measure
from doxel.measures.measure_table import MEASURES, parse_measure

__all__ = ["MEASURES", "Measure", "parse_measure"]
