"""The table of assessment events, from the declaration that the server and the judging page read."""

from __future__ import annotations

from collections.abc import Iterable

from doxel.assess.judging_events import EVENT_KINDS, BodyField, EventKind

__all__ = ["PLACE", "tabulate_events"]

PLACE = "<!-- the table of event kinds -->"
"""The line of a page that the table replaces."""


def tabulate_events(kinds: Iterable[EventKind] = tuple(EVENT_KINDS.values())) -> str:
    """Return the kinds of events with the fields of their bodies, as a table in Markdown.

    >>> print(tabulate_events([EVENT_KINDS["show"]]))
    | kind | body | effect |
    |---|---|---|
    | `show` | `pooled`: true or false | shows or hides the pooled elements |
    """
    rows = [
        f"| `{kind.name}` | {'; '.join(map(_describe, kind.body)) or 'nothing'} | {kind.about} |"
        for kind in kinds
    ]
    return "\n".join(["| kind | body | effect |", "|---|---|---|", *rows])


def _describe(field: BodyField) -> str:
    return f"`{field.name}`{', optional' if field.is_optional else ''}: {field.wanted}"
