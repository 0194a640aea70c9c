"""Quantisation: functions from the grades of an element to its gain, named as in the papers.

How data flows through this room: the grades of elements
(:class:`~doxel.quantisation.quantisations.Grades`) go into a function of
:mod:`~doxel.quantisation.quantisations`, found by its name and the scale of the assessments, and gains
come out.
"""

from doxel.quantisation.quantisations import QUANTISATIONS, Quantisation, find_quantisation

__all__ = ["QUANTISATIONS", "Quantisation", "find_quantisation"]
