"""Makes the data files that ``doxel demo`` copies: the wheel ships the files, not their makers."""
