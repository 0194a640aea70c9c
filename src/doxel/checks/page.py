"""The documentation page that explains every code, generated from the declarations."""

from __future__ import annotations

from doxel.checks.declare import SEVERITIES
from doxel.checks.report import MOST_PLACES
from doxel.checks.table import CHECKS, KINDS

__all__ = ["page"]

_BEGINNING = f"""\
# What `doxel check` finds

This page is generated from the declarations of the checks; `doxel check --codes` prints the same texts.

All findings with the same code in the same file are one line, with their number and the first places;
`-f json` lists up to {MOST_PLACES:,} places for each.  The exit status is 1 if there is any error, 2 if the
command itself was called wrongly, and 0 otherwise.
"""


def page() -> str:
    """Return the page as Markdown."""
    severities = [f"| {name} | {meaning} |" for name, meaning in SEVERITIES.items()]
    lines = [_BEGINNING, "| severity | means |", "|---|---|", *severities, ""]
    for letter, kind in KINDS.items():
        checks = [check for check in CHECKS if check.code.startswith(letter)]
        lines += [f"## {kind}", "", "| code | severity | finding |", "|---|---|---|"]
        for check in checks:
            lines.append(f"| [{check.code}](#{check.code.lower()}) | {check.severity} | {check.title} |")
        lines.append("")
        for check in checks:
            lines += [f"### {check.code}", "", f"**{check.title}** ({check.severity})", ""]
            lines += [check.explanation, "", f"*How to fix it:* {check.mend}", ""]
    return "\n".join(lines).rstrip() + "\n"
