r"""Tokens of the first k results: ``token_rec``, ``token_prec``, ``token_iou``, ``token_f1``.

The same as char_rec, char_prec, char_iou and char_f1, with tokens instead of characters.  A token belongs
to the text that contains its first character.  G and C are the tokens that start in the relevant text and
in the first k results:

.. math:: rec = |G \cap C| / |G|, \quad prec = |G \cap C| / |C|, \quad iou = |G \cap C| / |G \cup C|

Tokens are the words between white space, unless tokens= names another tokeniser: a function from a text
to the starts and ends of its tokens, passed to evaluate (tokenisers=, --tokeniser FILE.py:NAME).

Rewards: results that cover the relevant text and little else, in the unit by which language models are
billed.

When it misleads: a chunk that starts in the middle of a word does not contain that word.  Scores depend on
the tokeniser, so compare only scores under the same one.

Neighbours: char_rec and its family need no texts, and differ little if words are about equally long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from doxel.measures.chunks.characters import (
    CHARACTER_SUMS,
    REPEATS,
    char_f1,
    char_iou,
    char_prec,
    char_rec,
    explain_charges,
    find_text_kinds,
)
from doxel.measures.declaration import BOUND, Measure, Properties, Scores, declare
from doxel.measures.measure_parameters import CUTOFF
from doxel.measures.text_views import ReadTokens

__all__ = ["MEASURES", "token_f1", "token_iou", "token_prec", "token_rec"]


def token_rec(view: ReadTokens, *, repeats: str, cutoff: int | None) -> Scores:
    """Share of the relevant tokens that the first results show."""
    return char_rec(view, repeats=repeats, cutoff=cutoff)


def token_prec(view: ReadTokens, *, repeats: str, cutoff: int | None) -> Scores:
    """Share of the tokens of the first results that are relevant."""
    return char_prec(view, repeats=repeats, cutoff=cutoff)


def token_iou(view: ReadTokens, *, repeats: str, cutoff: int | None) -> Scores:
    """Relevant tokens found, as a share of all tokens that were read or are relevant."""
    return char_iou(view, repeats=repeats, cutoff=cutoff)


def token_f1(view: ReadTokens, *, repeats: str, cutoff: int | None) -> Scores:
    """Harmonic mean of token_prec and token_rec."""
    return char_f1(view, repeats=repeats, cutoff=cutoff)


def _explain_breaks(parameters: Mapping[str, Any]) -> dict[str, str]:
    reason = "gold in which no token begins leaves nothing to find"
    return {"answers": reason, **explain_charges(parameters)}


def _declare(name: str, function: Callable[..., Scores], summary: str) -> Measure:
    return declare(
        name,
        function,
        view=ReadTokens,
        own=(REPEATS,),
        at=CUTOFF,
        at_optional=True,
        summary=summary,
        reference="after Smith and Troynikov (Chroma, 2024), with every token counted once",
        properties=Properties(
            faithful="y", near_misses="y", ideality="y", graded="y", thorough="y", focused="y"
        ),
        kinds=find_text_kinds(name),
        breaks=_explain_breaks,
        residual=BOUND,
        **CHARACTER_SUMS[name.removeprefix("token_")],
    )


MEASURES = (
    _declare("token_rec", token_rec, "share of the relevant tokens that were retrieved"),
    _declare("token_prec", token_prec, "share of the retrieved tokens that are relevant"),
    _declare(
        "token_iou", token_iou, "tokens relevant and retrieved, as a share of those relevant or retrieved"
    ),
    _declare("token_f1", token_f1, "harmonic mean of token_prec and token_rec"),
)
