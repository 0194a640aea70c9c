"""Trees as arrays."""

import numpy as np

from doxel.documents.tree_arrays import Tree, compute_subtree_ends

NAMES = ["A", "S1", "p1", "p2", "S2", "p3", "p4"]
TREE_A = Tree(compute_subtree_ends([2, 2, 0, 0, 2, 0, 0]))


def test_above_and_below_mark_ancestors_and_descendants():
    marked = np.array([False, False, True, False, True, False, False])
    assert [NAMES[row] for row in np.flatnonzero(TREE_A.above(marked))] == ["A", "S1"]
    assert [NAMES[row] for row in np.flatnonzero(TREE_A.below(marked))] == ["p3", "p4"]
