"""The families of measures of the INEX campaigns, one file per family.

How data flows through this package: a view goes into the function of a measure, one score per topic
comes out.  Over gains and relevance: :mod:`~doxel.measures.inex.precall`,
:mod:`~doxel.measures.inex.inex_eval_ng`, :mod:`~doxel.measures.inex.xcg`,
:mod:`~doxel.measures.inex.effort_precision` and :mod:`~doxel.measures.inex.structural_relevance`.  Over
text and articles: :mod:`~doxel.measures.inex.interpolated_precision`, :mod:`~doxel.measures.inex.hixeval`,
:mod:`~doxel.measures.inex.generalised_precision` and :mod:`~doxel.measures.inex.result_overlap`.  Over
users who browse: :mod:`~doxel.measures.inex.prum`, :mod:`~doxel.measures.inex.entry_points` and
:mod:`~doxel.measures.inex.tolerance_to_irrelevance`.
"""
