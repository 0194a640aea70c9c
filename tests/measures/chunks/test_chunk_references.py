"""Reference choices of a chunking (section 12), on one topic written as arrays."""

from doxel.measures.chunks import chunk_references
from doxel.measures.text_views import GreedyChunks, TouchingChunks
from measures.arrays import F, exactly, overlapping_chunks
from measures.ideals import gold

IDEAL_RUNS = [
    ("perfect", gold, "omega_prec, omega_rec, omega_iou, greedy_prec@1,6, greedy_rec@6, greedy_iou@6")
]


def test_reference_choices_are_scored_like_characters():
    touching, greedy = overlapping_chunks(TouchingChunks), overlapping_chunks(GreedyChunks)
    assert chunk_references.omega_rec(touching, repeats="once").item() == 1
    assert chunk_references.omega_prec(touching, repeats="once").item() == exactly(F(2, 5))
    assert chunk_references.omega_prec(touching, repeats="charged").item() == exactly(F(1, 3))
    assert chunk_references.omega_iou(touching, repeats="once").item() == exactly(F(2, 5))
    assert [chunk_references.greedy_rec(greedy, repeats="once", cutoff=k).item() for k in (1, 2)] == [0.5, 1]
    assert chunk_references.greedy_prec(greedy, repeats="once", cutoff=2).item() == exactly(F(2, 3))
    assert chunk_references.greedy_iou(greedy, repeats="once", cutoff=1).item() == exactly(F(1, 3))
    assert chunk_references.greedy_iou(greedy, repeats="charged", cutoff=2).item() == exactly(F(1, 2))
