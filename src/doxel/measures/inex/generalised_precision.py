r"""Generalised precision and recall over articles: ``gP``, ``gR``, ``igP``, ``MAgP``; ``art_*``.

Precision and recall count articles (whole documents) here.  The results of an article form one group, and
each article has a score S between 0 and 1 for the text that the run returned of it.  With rel(a) = 1 if
article a is relevant, and Numrel relevant articles:

.. math:: gP[r] = \sum_{i \le r} S(a_i) / r, \quad gR[r] = \sum_{i \le r} rel(a_i) / Numrel, \quad
          MAgP = \sum_r rel(a_r) gP[r] / Numrel

``igP@x`` is the greatest gP at any rank where gR has reached x.  There are three scores S:

* score="f" (Relevant in Context): F-beta of the article's character precision and recall; beta is 1
  in 2006 and 2007, and 0.25 from 2008, which makes precision more important than recall;
* score="bep" (Best in Context, from 2007): max(0, n - d)/n, where d is the distance in characters
  between the entry point of the run and the best one; n is 1000 in 2007 and 500 from 2008;
* score="t2i" (2010): the reader reads the retrieved text, then the rest of the article in document order,
  until T irrelevant characters have been read: S = relevant characters read / characters read.

``art_prec``, ``art_rec`` and ``art_f1`` score whole articles, which are either relevant or not.

Rewards: ranking the relevant articles first and retrieving the right text in each.

When it misleads: the text inside an article counts only through S, so a run that returns whole
articles in a good order can beat one with excellent passages in a worse order.

Neighbours: with S in {0, 1} these are classical precision, recall and average precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from doxel.measures.declaration import (
    BOUND,
    READING,
    Measure,
    Properties,
    Quantity,
    Scores,
    View,
    declare,
    get_article_requirements,
)
from doxel.measures.measure_parameters import Flag, Number, Parameter
from doxel.measures.rank_arithmetic import (
    Matrix,
    at_rank,
    compute_f_beta,
    divide,
    find_best_column,
    find_first_reaching,
    take_best_from,
)
from doxel.measures.text_views import Articles, RetrievedArticles
from doxel.spans import Ints

__all__ = ["MEASURES", "art_f1", "art_prec", "art_rec", "gp", "gr", "igp", "magp"]


def gp(view: Articles, *, pad: bool, cutoff: int) -> Scores:
    """Mean article score of the first articles."""
    gained = at_rank(view.score.cumsum(axis=1), cutoff)
    return divide(gained, _count_articles(view, pad, cutoff))


def gr(view: Articles, *, cutoff: int) -> Scores:
    """Share of the relevant articles that are among the first articles."""
    return divide(at_rank(view.relevant.cumsum(axis=1), cutoff), view.total)


def igp(view: Articles, *, recall: float) -> Scores:
    """Greatest gP at any rank with at least this generalised recall."""
    return take_best_from(_list_means(view), _find_rank(view, recall))[:, 0]


def _list_means(view: Articles) -> Matrix:
    is_listed = np.arange(view.score.shape[1]) < view.length[:, None]  # leaves out the padding
    return np.where(is_listed, view.generalised_precision, 0.0)


def _find_rank(view: Articles, recall: float) -> Ints:
    goal = np.full((len(view.total), 1), recall) * view.total[:, None]
    return find_first_reaching(view.relevant.cumsum(axis=1), goal, view.total)


def magp(view: Articles) -> Scores:
    """Mean of gP over the ranks of the relevant articles; articles not retrieved count as 0."""
    at_relevant = view.relevant * view.generalised_precision
    return divide(at_rank(at_relevant.cumsum(axis=1), None), view.total)


def art_prec(view: RetrievedArticles) -> Scores:
    """Share of the retrieved articles that are relevant."""
    return divide(view.found, view.retrieved)


def art_rec(view: RetrievedArticles) -> Scores:
    """Share of the relevant articles that were retrieved."""
    return divide(view.found, view.total)


def art_f1(view: RetrievedArticles) -> Scores:
    """Harmonic mean of art_prec and art_rec."""
    return compute_f_beta(art_prec(view), art_rec(view))


def _count_articles(view: Articles, pad: bool, cutoff: int) -> Scores:
    """Return the number of articles that the mean is over."""
    return np.full(len(view.length), float(cutoff)) if pad else np.minimum(view.length, cutoff)


def _find_best_rank(view: Articles, recall: float) -> Ints:
    return find_best_column(_list_means(view), _find_rank(view, recall))


def _count_best_articles(view: Articles, recall: float) -> Scores:
    return np.asarray(_find_best_rank(view, recall)[:, 0] + 1.0, dtype=np.float64)


def _list_best_scores(view: Articles, recall: float) -> Matrix:
    best, width = _find_best_rank(view, recall), view.score.shape[1]
    return np.where((np.arange(width) <= best) & (best < width), view.score, 0.0)


_ALL_RELEVANT = Quantity("Numrel", "the relevant articles", lambda view: view.total)
_RETRIEVED = Quantity("rel", "1 for each relevant article", lambda view: view.relevant)
_SUMS: dict[str, dict[str, Any]] = {
    "MAgP": {
        "terms": Quantity(
            "rel gP",
            "gP at each relevant article",
            lambda view: view.relevant * view.generalised_precision,
        ),
        "divisor": _ALL_RELEVANT,
    },
    "gP": {
        "terms": Quantity(
            "S", "score of each article up to the cutoff", lambda view, cutoff: view.score[:, :cutoff]
        ),
        "divisor": Quantity("k", "the number of articles", _count_articles),
    },
    "gR": {
        "terms": Quantity(
            "rel",
            "1 for each relevant article up to the cutoff",
            lambda view, cutoff: view.relevant[:, :cutoff],
        ),
        "divisor": _ALL_RELEVANT,
    },
    "igP": {
        "terms": Quantity("S", "score of each article up to the rank of the best gP", _list_best_scores),
        "divisor": Quantity("r", "that rank", _count_best_articles),
        "made_of": (
            "It is interpolated: the greatest gP at any rank where gR has reached the recall; only the "
            "articles up to that rank count."
        ),
    },
    "art_prec": {
        "terms": _RETRIEVED,
        "divisor": Quantity("retrieved", "the retrieved articles", lambda view: view.retrieved),
    },
    "art_rec": {"terms": _RETRIEVED, "divisor": _ALL_RELEVANT},
    "art_f1": {
        "terms": Quantity("2 rel", "2 for each relevant article", lambda view: 2 * view.relevant),
        "divisor": Quantity(
            "retrieved + Numrel",
            "the retrieved and the relevant articles",
            lambda view: view.retrieved + view.total,
        ),
    },
}
_RANK = Parameter("cutoff", Number(1, whole=True), "number of articles that count")
_PAD = Parameter(
    "pad", Flag(), "past the end of the list, divide by the cutoff; False: repeat the last value", True
)
_PROPERTIES = Properties(
    faithful="y",
    recall="y",
    precision="y",
    near_misses="y",
    ideality="y",
    graded="y",
    relevant_in_context="y",
    best_in_context="y",
)


_ARTICLES = replace(_PROPERTIES, near_misses="n", graded="n", best_in_context="i")


def _declare(
    name: str,
    function: Callable[..., Scores],
    summary: str,
    *,
    view: type[View] = Articles,
    **details: Any,
) -> Measure:
    return declare(
        name,
        function,
        view=view,
        summary=summary,
        reference="Lalmas et al.: INEX 2006 Evaluation Measures, section 6; Kamps et al. 2008",
        properties=_ARTICLES if view is RetrievedArticles else _PROPERTIES,
        **_SUMS[name],
        **details,
    )


_ANY_TEXT = "a relevant article counts as retrieved, whatever text of it is returned"
_JUNK: dict[str, Any] = {"breaks": {"junk": _ANY_TEXT}}
_TOUCHING_AND_JUNK: dict[str, Any] = {"breaks": {"touching": _ANY_TEXT, "junk": _ANY_TEXT}}

MEASURES = (
    _declare(
        "MAgP",
        magp,
        "generalised precision, averaged over the relevant articles",
        aliases=("AgP",),
        requires=get_article_requirements,
        residual=lambda parameters: READING if parameters["score"] == "f" else "",
        years="2006-2010",
        **_JUNK,
    ),
    _declare(
        "gP",
        gp,
        "mean article score of the first k articles",
        own=(_PAD,),
        at=_RANK,
        requires=get_article_requirements,
        residual=lambda parameters: BOUND if parameters["score"] == "f" else "",
        years="2006-2010",
    ),
    _declare(
        "gR",
        gr,
        "share of the relevant articles that are among the first k",
        at=_RANK,
        requires=get_article_requirements,
        kinds=("recall",),
        **_TOUCHING_AND_JUNK,
    ),
    _declare(
        "igP",
        igp,
        "greatest gP once a share of the relevant articles is reached",
        at=Parameter("recall", Number(0, 1), "the generalised recall to reach"),
        requires=get_article_requirements,
        **_JUNK,
    ),
    _declare(
        "art_prec",
        art_prec,
        "share of the retrieved articles that are relevant",
        view=RetrievedArticles,
        **_TOUCHING_AND_JUNK,
    ),
    _declare(
        "art_rec",
        art_rec,
        "share of the relevant articles that were retrieved",
        view=RetrievedArticles,
        kinds=("recall",),
        **_TOUCHING_AND_JUNK,
    ),
    _declare(
        "art_f1",
        art_f1,
        "harmonic mean of art_prec and art_rec",
        view=RetrievedArticles,
        **_TOUCHING_AND_JUNK,
    ),
)
