"""doxel.evaluation.compat.trec_eval."""
