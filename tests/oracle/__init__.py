"""The slow, obvious second implementation of every measure, in exact fractions on plain trees.

It was written from measures.md alone, independently of the fast implementation, which it checks on random
cases.  It imports nothing but the standard library.  Each file contains one section of measures.md or one
idea of it; where measures.md leaves something open, the docstring gives the interpretation after "Reading:".

``MEASURES`` maps the canonical name of a measure to a function ``f(case, *, at=None, **parameters)``:
``at`` is the number after @; the parameters have the names, values and defaults of measures.md.  The score
is a Fraction, ``inf`` (from ``read`` only) or None if the topic is undefined; an inexact model
(inex2003) and logarithms (alpha_nDCG) give a float.  A run that a measure must reject raises ``Refused``, an
invalid parameter raises
``ValueError``.
"""

from collections.abc import Callable

from . import (
    articles,
    aspects,
    characters,
    chroma,
    chunk_references,
    discovery,
    hixeval,
    inex_eval_ng,
    precall,
    spans,
    structural,
    tolerance,
    unjudged,
    xcg,
)
from .cases import Case, Result, random_case, tree_a
from .rules import Refused, Score
from .trees import Document, Element, grow, plant

MEASURES: dict[str, Callable[..., Score]] = {
    # section 3
    "inex_eval": precall.inex_eval,
    "inex_eval_P": precall.inex_eval_p,
    "qP": precall.qp,
    "qR": precall.qr,
    # section 4
    "inex_eval_ng": inex_eval_ng.inex_eval_ng,
    "inex_eval_ng_P": inex_eval_ng.inex_eval_ng_p,
    "inex_eval_ng_R": inex_eval_ng.inex_eval_ng_r,
    # section 5, and section 12 where no document has a tree
    "nxCG": xcg.nxcg,
    "MAnxCG": xcg.manxcg,
    "gr": xcg.gr,
    "xCG": xcg.xcg,
    "xCI": xcg.xci,
    "ep": xcg.ep,
    "MAep": xcg.maep,
    "iMAep": xcg.imaep,
    # section 6
    "GR": discovery.gr_users,
    "EPRUM": discovery.eprum,
    "EPRUM_P": discovery.eprum_p,
    "EPRUM_Pk": discovery.eprum_pk,
    "PRUM": discovery.prum,
    "PRUM_P": discovery.prum_p,
    "BEPD": discovery.bepd,
    "T2I": tolerance.t2i,
    "T2I_AP": tolerance.t2i_ap,
    # section 7
    "HiXEval_P": hixeval.hixeval_p,
    "HiXEval_R": hixeval.hixeval_r,
    "HiXEval_F": hixeval.hixeval_f,
    "overlap": hixeval.overlap,
    # section 8
    "iP": characters.ip,
    "MAiP": characters.maip,
    "art_prec": characters.art_prec,
    "art_rec": characters.art_rec,
    "art_f1": characters.art_f1,
    "gP": articles.gp,
    "gR": articles.gr_articles,
    "igP": articles.igp,
    "MAgP": articles.magp,
    "fetch_MAep": xcg.fetch_maep,
    "browse_MAep": xcg.browse_maep,
    # section 9
    "SR": structural.sr,
    "SRP": structural.srp,
    "SRPL": structural.srpl,
    # section 12
    **{f"char_{kind}": spans.char_measure(kind) for kind in ("rec", "prec", "iou", "f1")},
    **{f"token_{kind}": spans.token_measure(kind) for kind in ("rec", "prec", "iou", "f1")},
    "span_rec": spans.span_rec,
    "hit": spans.hit,
    "span_RR": spans.span_rr,
    "read": spans.read,
    **{f"omega_{kind}": chunk_references.omega_measure(kind) for kind in ("prec", "rec", "iou")},
    **{f"greedy_{kind}": chunk_references.greedy_measure(kind) for kind in ("prec", "rec", "iou")},
    **{f"chroma_{kind}": chroma.chroma_measure(kind) for kind in ("prec", "rec", "iou")},
    "chroma_omega": chroma.chroma_omega,
    # section 13
    "judged_chars": unjudged.judged_chars,
    "judged_results": unjudged.judged_results,
    "bpref_chars": unjudged.bpref_chars,
    # section 14
    "aspect_rec": aspects.aspect_rec,
    "all_aspects": aspects.all_aspects,
    "aspect_AP": aspects.aspect_ap,
    "alpha_nDCG": aspects.alpha_ndcg,
    "nugget_F": aspects.nugget_f,
    "aspect_char_rec": aspects.aspect_char_rec,
}

ALIASES = {"MAxCG": "MAnxCG", "nXCG": "nxCG", "AiP": "MAiP", "AgP": "MAgP", "BPRUM": "EPRUM"}
"""Other names of measures, from the papers."""

__all__ = [
    "ALIASES",
    "MEASURES",
    "Case",
    "Document",
    "Element",
    "Refused",
    "Result",
    "Score",
    "grow",
    "plant",
    "random_case",
    "tree_a",
]
