"""doxel.evaluation.compat.evalj."""
