"""Distance to best entry points on arrays (section 6)."""

from doxel.measures.inex.entry_points import bepd
from doxel.measures.user_views import EntryDistances
from measures.arrays import F, each, exactly, rows
from measures.ideals import entry_points

IDEAL_RUNS = [("random", entry_points, "BEPD(A=0.1)")]


def test_bepd_equals_that_computed_by_hand():
    # (exact) A=.1, L=1000, run d=0, non-relevant, d=300, 4 BEPs: s = 1, 0, 100/(100 + 300)
    view = EntryDistances(nearness=rows([1, 0, F(1, 4)], []), total=each(4, 1))
    assert bepd(view).tolist() == exactly([F(5, 16), 0])
