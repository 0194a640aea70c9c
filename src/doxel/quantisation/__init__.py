"""Quantisation: functions from the grades of an element to its gain, named as in the papers."""

from doxel.quantisation.functions import QUANTISATIONS, Quantisation, quantisation

__all__ = ["QUANTISATIONS", "Quantisation", "quantisation"]
