"""The names of tasks in each INEX year, and doxel's names for them.

==========  ===========================================================================================
2002-2004   CO, CAS, SCAS, VCAS: any element, overlapping or not; doxel's thorough
2005        CO.Thorough, CO.Focussed, CO.FetchBrowse, the same with COS for CO; SSCAS, SVCAS, VSCAS, VVCAS
2006        Thorough, Focused, AllInContext, BestInContext
2007-2008   Focused, RelevantInContext, BestInContext
==========  ===========================================================================================

Case, white space and punctuation do not matter.
"""

from __future__ import annotations

import re

__all__ = ["INEX_NAMES", "TASKS", "known_names", "task_named"]

TASKS = {
    "thorough": ("Thorough", "CO", "COS", "CAS", "SCAS", "VCAS", "SSCAS", "SVCAS", "VSCAS", "VVCAS"),
    "focused": ("Focused", "Focussed"),
    "relevant-in-context": ("RelevantInContext", "AllInContext"),
    "best-in-context": ("BestInContext",),
    "fetch-and-browse": ("FetchBrowse", "FetchAndBrowse"),
}
INEX_NAMES = {task: names[0] for task, names in TASKS.items()}

_BY_NAME = {name.lower(): task for task, names in TASKS.items() for name in names}
_PREFIX = re.compile(r"^(?:COS|CO|CAS|\+S)\s*[.:/]\s*", re.IGNORECASE)


def task_named(name: str) -> str | None:
    """Return doxel's task for a name, or None if the name is unknown.

    >>> task_named("COS.Focussed"), task_named("relevant in context "), task_named("VVCAS")
    ('focused', 'relevant-in-context', 'thorough')
    """
    bare = re.sub(r"[\W_]+", "", _PREFIX.sub("", name.strip()))
    return _BY_NAME.get(bare.lower())


def known_names() -> str:
    """Return all known task names as a list for error messages."""
    return ", ".join(name for names in TASKS.values() for name in names) + ", CO. or COS. before any of them"
