"""Chroma's figures (section 12), on one topic written as arrays."""

from doxel.measures.chunks import chroma
from doxel.measures.text_views import AdjacentChunks, MarkedText
from measures.arrays import F, each, exactly, overlapping_chunks, rows
from measures.ideals import gold

IDEAL_RUNS = [("perfect", gold, "chroma_rec, chroma_prec@1, chroma_iou, chroma_omega")]


def test_chroma_measures_equal_those_computed_by_hand():
    # gold [0,100) marked twice, chunks [0,50) [25,75): 75 characters found, 100 retrieved, 25 missed twice
    view = MarkedText(
        size=rows([50, 50]), new_relevant=rows([50, 25]), new_marked=rows([100, 50]), marked=each(200)
    )
    assert chroma.chroma_rec(view, cutoff=None).item() == exactly(F(75, 200))
    assert chroma.chroma_prec(view, cutoff=None).item() == exactly(F(75, 100))
    assert chroma.chroma_iou(view, cutoff=None).item() == exactly(F(75, 150))
    assert chroma.chroma_iou(view, cutoff=1).item() == exactly(F(50, 150))
    assert chroma.chroma_omega(overlapping_chunks(AdjacentChunks)).item() == exactly(F(2, 5))
