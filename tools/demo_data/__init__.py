"""Makes the data files that ``doxel demo`` copies; this code itself is not in the wheel."""
