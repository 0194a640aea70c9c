"""Quantisation: from the grades of an element to its gain, each function named as the papers name it."""

from doxel.quantisation.functions import QUANTISATIONS, Quantisation, quantisation

__all__ = ["QUANTISATIONS", "Quantisation", "quantisation"]
