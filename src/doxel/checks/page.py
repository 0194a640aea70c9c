"""The page of the documentation that explains every code, made from the declarations."""

from __future__ import annotations

from doxel.checks.declare import SEVERITIES
from doxel.checks.report import MOST_PLACES
from doxel.checks.table import CHECKS, KINDS

__all__ = ["page"]

_BEGINNING = f"""\
# What `doxel check` finds

This page is made from the declarations of the checks by `doxel.checks.page.page()`; `doxel check --codes`
prints the same.

Findings of one code in one file are one line, with their number and the first places; `-f json` lists up to
{MOST_PLACES:,} places of each.  The exit status is 1 when anything is an error, 0 otherwise, and 2 when the
call itself is wrong.
"""


def page() -> str:
    """Return the page, as Markdown."""
    severities = [f"| {name} | {meaning} |" for name, meaning in SEVERITIES.items()]
    lines = [_BEGINNING, "| severity | means |", "|---|---|", *severities, ""]
    for letter, kind in KINDS.items():
        some = [check for check in CHECKS if check.code.startswith(letter)]
        lines += [f"## {kind}", "", "| code | severity | finding |", "|---|---|---|"]
        lines += [f"| [{one.code}](#{one.code.lower()}) | {one.severity} | {one.title} |" for one in some]
        lines.append("")
        for one in some:
            lines += [f"### {one.code}", "", f"**{one.title}** ({one.severity})", ""]
            lines += [one.explanation, "", f"*To mend it:* {one.mend}", ""]
    return "\n".join(lines).rstrip() + "\n"
