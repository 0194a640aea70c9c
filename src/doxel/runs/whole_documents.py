"""Turn a ranking of parts into a ranking of documents.

``first``
    A document has the rank and the rsv of its first result.
``maxp``
    A document has the highest rsv of its results, whatever their ranks; of equal ones the first counts.

The two rules differ if ranks and rsv disagree.  Tools that read TREC files sort by rsv and ignore ranks,
so an rsv that does not fall from document to document is replaced by the reciprocal of the rank.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from doxel.errors import InputError
from doxel.runs.order import order
from doxel.runs.run import RESULTS, Run
from doxel.wording import pluralise

__all__ = ["RULES", "rank_documents"]

RULES = ("first", "maxp")
_PLACE = ("path", "path_end", "start", "end", "text")


def rank_documents(run: Run, rule: str = "first") -> tuple[Run, tuple[str, ...]]:
    """Return a run of whole documents, each once per topic, and notes about the changes."""
    if rule not in RULES:
        raise InputError("a rule for documents", wanted=f"one of {', '.join(RULES)}", found=repr(rule))
    results = order(RESULTS.fit(run.results))
    if rule == "maxp":
        results = _by_best(run, results)
    documents = results.unique(["topic", "doc"], keep="first", maintain_order=True)
    documents = documents.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic"))
    rule_text = {"first": "their first results", "maxp": "their best rsv"}[rule]
    count = pluralise(documents.height, "document")
    notes = [f"{pluralise(results.height, 'result')} became {count}, ranked by {rule_text}"]
    fall = (pl.col("rsv") <= pl.col("rsv").shift().over("topic")).fill_null(value=True)
    if not documents.select((fall & pl.col("rsv").is_not_null()).all()).item():
        documents = documents.with_columns(rsv=1.0 / pl.col("rank"))
        notes.append("some rsv were missing or did not fall with the ranks: they are now 1/rank")
    no_place = [pl.lit(None, dtype=RESULTS.schema[name]).alias(name) for name in _PLACE]
    return replace(run, results=RESULTS.fit(documents.with_columns(no_place))), tuple(notes)


def _by_best(run: Run, results: pl.DataFrame) -> pl.DataFrame:
    missing = results.filter(pl.col("rsv").is_null())
    if missing.height:
        raise InputError(
            "maxp ranks documents by rsv",
            file=run.file,
            line=missing["line"][0],
            wanted="an rsv for every result, or the rule first",
            found=f"{pluralise(missing.height, 'result')} without rsv",
        )
    return order(results.with_columns(rsv=pl.col("rsv").max().over("topic", "doc")), by="score")
