r"""Reference choices of a chunking: ``omega_prec``, ``omega_rec``, ``omega_iou``, ``greedy_*``.

Scores of a chunking itself, without a retriever: two choices of chunks C, made with knowledge of the
relevant text G.  omega takes all chunks that share at least one character with G.  greedy chooses up to k
chunks one by one, each time the chunk with the most relevant characters that no earlier one has shown, and
stops if no chunk adds any; of equal chunks it takes the shorter, then the first by document id and start.
Both are scored like char_prec, char_rec and char_iou:

.. math:: prec = |G \cap C| / |C|, \quad rec = |G \cap C| / |G|, \quad iou = |G \cap C| / |G \cup C|

These measures need all chunks: chunks= in Python, --chunks on the command line.

Rewards: chunks that fit the relevant passages.  omega_rec is 1 unless a chunking leaves text out.
greedy@k shows what the chunking makes possible; a retriever's score divided by it shows the ranker's share.

When it misleads: greedy is not always the best choice of k chunks, only a good one that can be computed.
Only omega_rec, and greedy_rec of disjoint chunks, are maxima; a ranker's score may exceed the others.  They
do not show how hard it is to find these chunks.

Neighbours: char_rec, char_prec and char_iou score the retrieved chunks; chroma_omega is the figure that
Chroma's evaluation reports.
"""

from __future__ import annotations

from collections.abc import Callable

from doxel.measures.chunks.characters import CHARACTER_SUMS, REPEATS, char_iou, char_prec, char_rec
from doxel.measures.declaration import Measure, Properties, Scores, View, declare
from doxel.measures.measure_parameters import Number, Parameter
from doxel.measures.text_views import GreedyChunks, TouchingChunks

__all__ = ["MEASURES", "greedy_iou", "greedy_prec", "greedy_rec", "omega_iou", "omega_prec", "omega_rec"]


def omega_prec(view: TouchingChunks, *, repeats: str) -> Scores:
    """Precision of all chunks that contain relevant text."""
    return char_prec(view, repeats=repeats, cutoff=None)


def omega_rec(view: TouchingChunks, *, repeats: str) -> Scores:
    """Recall of all chunks that contain relevant text."""
    return char_rec(view, repeats=repeats, cutoff=None)


def omega_iou(view: TouchingChunks, *, repeats: str) -> Scores:
    """Intersection over union of all chunks that contain relevant text."""
    return char_iou(view, repeats=repeats, cutoff=None)


def greedy_prec(view: GreedyChunks, *, repeats: str, cutoff: int) -> Scores:
    """Precision of the first chunks of the greedy choice."""
    return char_prec(view, repeats=repeats, cutoff=cutoff)


def greedy_rec(view: GreedyChunks, *, repeats: str, cutoff: int) -> Scores:
    """Recall of the first chunks of the greedy choice."""
    return char_rec(view, repeats=repeats, cutoff=cutoff)


def greedy_iou(view: GreedyChunks, *, repeats: str, cutoff: int) -> Scores:
    """Intersection over union of the first chunks of the greedy choice."""
    return char_iou(view, repeats=repeats, cutoff=cutoff)


_PROPERTIES = Properties(faithful="n/a", near_misses="n/a", overlap="n/a", thorough="y", focused="y")
_CUTOFF = Parameter("cutoff", Number(1, whole=True), "number of chunks to choose")


def _declare(
    name: str, function: Callable[..., Scores], view: type[View], summary: str, at: Parameter | None = None
) -> Measure:
    return declare(
        name,
        function,
        view=view,
        own=(REPEATS,),
        at=at,
        summary=summary,
        reference="after Smith and Troynikov (Chroma, 2024), with every character counted once",
        properties=_PROPERTIES,
        **CHARACTER_SUMS[name.rpartition("_")[2]],
    )


MEASURES = (
    _declare(
        "omega_prec",
        omega_prec,
        TouchingChunks,
        "char_prec of all chunks of a chunking that contain relevant text",
    ),
    _declare(
        "omega_rec",
        omega_rec,
        TouchingChunks,
        "char_rec of all chunks of a chunking that contain relevant text",
    ),
    _declare(
        "omega_iou",
        omega_iou,
        TouchingChunks,
        "char_iou of all chunks of a chunking that contain relevant text",
    ),
    _declare(
        "greedy_prec", greedy_prec, GreedyChunks, "char_prec of a reference choice of k chunks", _CUTOFF
    ),
    _declare("greedy_rec", greedy_rec, GreedyChunks, "char_rec of a reference choice of k chunks", _CUTOFF),
    _declare("greedy_iou", greedy_iou, GreedyChunks, "char_iou of a reference choice of k chunks", _CUTOFF),
)
