"""Studies: stereotypical systems, and measure against measure."""

from doxel.studies.stereotypes import SYSTEMS, simulate

__all__ = ["SYSTEMS", "simulate"]
