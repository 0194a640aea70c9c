"""A document as pages read it: its text, and its elements as compact columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from doxel.assess.library import Held, Library

__all__ = ["document_json"]


def document_json(library: Library, held: Held) -> dict[str, Any]:
    """Return a document: the path of an element is that of its parent, and its own tag and number.

    ``labels`` are the tags of the document; an element has the number of its tag there, its number among
    the children of its parent that have the same tag, its span, and the row of its parent (-1: none).
    Paths are not written out: those of 100,000 elements weigh megabytes.
    """
    forest = library.forest(held.doc)
    names, label = np.unique(forest.name, return_inverse=True)
    columns = {
        "label": label,
        "ordinal": forest.sibling,
        "start": forest.start,
        "end": forest.end,
        "parent": forest.parent,
    }
    return {
        "doc": held.doc,
        "fingerprint": held.fingerprint,
        "text_rule": library.text_rule,
        "characters": held.characters,
        "text": library.text(held.doc),
        "elements": {
            "labels": [forest.labels.names[name] for name in names.tolist()],
            **{name: column.tolist() for name, column in columns.items()},
        },
    }
