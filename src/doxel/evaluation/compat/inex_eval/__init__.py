"""doxel.evaluation.compat.inex_eval."""
