"""The page "Which scorer can you trust", generated from what audits find.

``build.py`` writes the page, and a test compares it with the current findings.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from doxel.auditing.audit_reports import render_markdown_parts
from doxel.auditing.auditor import Audit, audit
from doxel.auditing.laws import LAWS
from doxel.measures.declaration import KINDS
from doxel.reports.study_pages import render_markdown_table

__all__ = ["AUDIT_PAGE", "audit_page", "list_verdicts", "write_audit_page"]

AUDIT_PAGE = Path(__file__).resolve().parents[1] / "which-scorer.md"
_REMARK = Path(__file__).with_name("remarks") / "which-scorer.md"
_CASES = 120
_MADE = "*`docs/build.py` generates this page from what the audits find.*"


@dataclass(frozen=True)
class _Defendant:
    """A scorer on the page: its heading, who it is, and how it is audited."""

    title: str
    about: str
    figures: str
    compat: str | None = None


_DEFENDANTS = (
    _Defendant(
        "BioASQ",
        "The snippet figures of the public scorer of BioASQ, task b, as `--compat bioasq` reproduces them "
        "digit for digit. snip_AP is the figure that the campaign calls MAP.",
        "snip_P, snip_R, snip_F1, snip_AP",
        "bioasq",
    ),
    _Defendant(
        "TREC Genomics",
        "The passage figures of the TREC Genomics track of 2007, as the set `genomics2007` has them.",
        "genomics_passage, genomics_passage2",
        "genomics",
    ),
    _Defendant(
        "Chroma",
        "The formulas of the project chunking_evaluation, as doxel has them for comparison.",
        "chroma_rec, chroma_prec, chroma_iou",
    ),
    _Defendant(
        "doxel",
        "The sound counterparts of these figures. The tests of doxel audit all its measures in this way.",
        "char_rec, char_prec, char_iou, char_f1, span_rec, MAiP",
    ),
)


def write_audit_page() -> Path:
    """Write the page, and return its path."""
    AUDIT_PAGE.write_text(audit_page(), encoding="utf-8")
    return AUDIT_PAGE


def audit_page() -> str:
    """Return the page."""
    pieces = ["# Which scorer can you trust", _REMARK.read_text(encoding="utf-8").rstrip()]
    pieces += ["## The laws", _list_laws(), "Kinds of measures:", _list_kinds()]
    audits = [(defendant, _hold(defendant)) for defendant in _DEFENDANTS]
    pieces += ["## The verdicts", _summarise(audits)]
    for defendant, result in audits:
        pieces += [f"## {defendant.title}", defendant.about, *render_markdown_parts(result, level=3)]
    return "\n\n".join([*pieces, _MADE]) + "\n"


def list_verdicts() -> str:
    """Return the table of broken laws alone, which takes less time than the counterexamples."""
    return _summarise([(defendant, _hold(defendant, shrink=False)) for defendant in _DEFENDANTS])


def _hold(defendant: _Defendant, *, shrink: bool = True) -> Audit:
    return audit(defendant.figures, compat=defendant.compat, cases=_CASES, shrink=shrink)


def _list_laws() -> str:
    rows = [(law.name, law.statement, law.reason, law.kind or "every measure") for law in LAWS]
    return render_markdown_table(
        pl.DataFrame(rows, schema=["law", "what must hold", "why", "binds"], orient="row")
    )


def _list_kinds() -> str:
    return "\n".join(f"- {name}: {about}" for name, about in KINDS.items())


def _summarise(audits: list[tuple[_Defendant, Audit]]) -> str:
    """Return one row per figure: the laws that it breaks."""
    rows = []
    for defendant, result in audits:
        for figure in result.figures:
            broken = [finding.law.name for finding in result.broken if finding.figure == figure]
            rows.append((defendant.title, figure, ", ".join(broken) or "none"))
    return render_markdown_table(pl.DataFrame(rows, schema=["scorer", "figure", "laws broken"], orient="row"))
