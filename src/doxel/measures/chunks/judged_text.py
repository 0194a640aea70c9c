r"""How much was judged: ``judged_chars``, ``judged_results``; and ``bpref_chars``, which skips the rest.

A document is judged for a topic if the assessments list it for the topic: with a highlight, with an entry
point, or as not relevant.  C is the text of the first k results (without @: of all results):

.. math:: judged\_chars = |C \cap J| / |C|

where J is the text of the judged documents.  ``judged_results`` is the share of the first k results whose
document is judged.  A topic without any text (or result) has no score, because 0 would report unjudged text.

``bpref_chars`` is bpref (Buckley and Voorhees 2004) with every character as a document.  The results are read
in rank order, each from start to end; characters seen before and unjudged documents are skipped.  With R
relevant characters, and n(c) judged non-relevant characters read before the relevant character c:

.. math:: bpref\_chars = \frac{1}{R} \sum_{c} (1 - \min(n(c), R) / R)

Rewards: judged_chars and judged_results reward nothing; they show how far the other scores can be trusted.
bpref_chars rewards relevant text before text that was judged non-relevant, whatever else was retrieved.

When it misleads: where only relevant documents are listed, as in the qrels of INEX, every unlisted document
counts as unjudged, and bpref_chars sees only the non-relevant text of relevant documents.  trec_eval divides
by the smaller of R and the number of judged non-relevant documents; the number of non-relevant characters is
not known without the sizes of documents, so R stays, as in the paper.

Neighbours: unjudged="remove" removes unjudged results for any measure; --residual adds how far scores could
rise if the unjudged text were relevant.
"""

from __future__ import annotations

import numpy as np

from doxel.measures.declaration import Properties, Quantity, Scores, declare
from doxel.measures.judged_views import JudgedReading, JudgedResults, JudgedText
from doxel.measures.measure_parameters import CUTOFF
from doxel.measures.rank_arithmetic import Matrix, add_at_columns, at_rank, divide

__all__ = ["MEASURES", "bpref_chars", "judged_chars", "judged_results"]


def judged_chars(view: JudgedText, *, cutoff: int | None) -> Scores:
    """Share of the characters of the first results that are in judged documents.

    >>> view = JudgedText(np.array([[50.0, 100.0]]), np.array([[0.0, 100.0]]))
    >>> judged_chars(view, cutoff=1).tolist(), judged_chars(view, cutoff=2).round(3).tolist()
    ([0.0], [0.667])
    """
    judged = at_rank(view.new_judged.cumsum(axis=1), cutoff)
    return divide(judged, at_rank(view.read, cutoff), otherwise=np.nan)


def judged_results(view: JudgedResults, *, cutoff: int | None) -> Scores:
    """Share of the first results whose document is judged."""
    judged = at_rank(view.judged.cumsum(axis=1), cutoff)
    return divide(judged, _count_results(view, cutoff), otherwise=np.nan)


def bpref_chars(view: JudgedReading) -> Scores:
    """Bpref with characters for documents.

    >>> stretch = np.array([[50.0]])
    >>> bpref_chars(JudgedReading(stretch, stretch, np.ones((1, 1)), np.array([100.0]))).tolist()
    [0.25]
    """
    return divide(at_rank(_value_ranks(view).cumsum(axis=1), None), view.total)


def _count_results(view: JudgedResults, cutoff: int | None) -> Scores:
    return view.length if cutoff is None else np.minimum(view.length, cutoff)


def _value_ranks(view: JudgedReading) -> Matrix:
    """Return the value of the relevant characters that each rank adds."""
    charged = np.minimum(view.nonrelevant, view.total[:, None])
    value = view.relevant * (1 - divide(charged, view.total[:, None]))
    ranks = view.rank.astype(np.int64)
    width = int(ranks.max(initial=0))
    return add_at_columns(value, np.where(ranks > 0, ranks - 1, width), width)


_ABOUT_JUDGING = Properties(faithful="?", overlap="n/a", thorough="y", focused="y")

_NO_QUALITY = "it is about judging, not about quality"
_BREAKS = {
    "answers": "a topic without results has no share",
    **dict.fromkeys(("junk", "touching", "unjudged"), _NO_QUALITY),
}

MEASURES = (
    declare(
        "judged_chars",
        judged_chars,
        view=JudgedText,
        at=CUTOFF,
        at_optional=True,
        summary="share of the retrieved characters that are in judged documents",
        reference="judged@k of classic retrieval, in characters",
        breaks=_BREAKS,
        properties=_ABOUT_JUDGING,
        terms=Quantity(
            "new judged",
            "new characters in judged documents, up to the cutoff",
            lambda view, cutoff: view.new_judged[:, :cutoff],
        ),
        divisor=Quantity("|C|", "the text read", lambda view, cutoff: at_rank(view.read, cutoff)),
    ),
    declare(
        "judged_results",
        judged_results,
        view=JudgedResults,
        at=CUTOFF,
        at_optional=True,
        summary="share of the results that are in judged documents",
        reference="judged@k of classic retrieval",
        breaks={**_BREAKS, "repeat": _NO_QUALITY},
        properties=_ABOUT_JUDGING,
        terms=Quantity(
            "judged",
            "1 for each of the first results whose document is judged",
            lambda view, cutoff: view.judged[:, :cutoff],
        ),
        divisor=Quantity("results", "the first results", _count_results),
    ),
    declare(
        "bpref_chars",
        bpref_chars,
        view=JudgedReading,
        summary="relevant characters read before judged non-relevant ones",
        reference="Buckley and Voorhees: Retrieval Evaluation with Incomplete Information (SIGIR 2004)",
        breaks={"unjudged": "only judged text counts against a run"},
        properties=Properties(
            faithful="y", recall="y", precision="y", near_misses="y", ideality="y", thorough="y", focused="y"
        ),
        terms=Quantity(
            "1 - min(n, R)/R",
            "added up over the relevant characters that the result adds",
            _value_ranks,
        ),
        divisor=Quantity("R", "the relevant text", lambda view: view.total),
    ),
)
