"""The tables of views, from their dataclasses: what a measure of one's own can compute with."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from doxel.evaluation.views.view_builders import BUILDERS
from doxel.measures.declaration import View
from doxel.measures.topic_arrays import TopicArrays, TopicGold, TopicResults

__all__ = ["PLACE", "describe_members", "list_views", "tabulate_views"]

PLACE = "<!-- the tables of views -->"
"""The line of a page that the tables replace."""

_SHAPES = {
    "Matrix": "topics x ranks",
    "Scores": "one per topic",
    "float": "a number",
    "int": "a number",
    "Texts": "array of texts",
    "Ints": "array of whole numbers",
    "Floats": "array of numbers",
}


def list_views() -> list[type[View]]:
    """Return the views that functions of all topics take, in the order of the evaluation."""
    return [view for view in BUILDERS if view is not TopicArrays]


def tabulate_views() -> str:
    """Return the arrays of one topic, and then those of every view, as Markdown."""
    pieces = ["### Of one topic"]
    for name, part in (("results", TopicResults), ("gold", TopicGold)):
        pieces += [f"`{name}`: {_read_prose(part)}", _tabulate(part)]
    pieces.append("### Of all topics: the views")
    for view in list_views():
        parameters = ", ".join(f"`{parameter.name}`" for parameter in view.parameters) or "none"
        pieces += [
            f"#### `{view.__name__}`",
            f"{_read_prose(view)} Its second axis counts {view.ranks}. Import it from `{view.__module__}`.",
            _tabulate(view),
            f"Parameters: {parameters}.",
        ]
    return "\n\n".join(pieces)


def describe_members(part: type[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield name, shape and meaning of the fields of a class and of what it derives from them.

    >>> next(describe_members(TopicResults))
    ('doc', 'array of texts', 'the id of the document')
    """
    if dataclasses.is_dataclass(part):
        for field in dataclasses.fields(part):
            yield field.name, _name_shape(str(field.type)), _find_meaning(part, field.name)
    for name, member in _list_properties(part):
        function = member.func if isinstance(member, cached_property) else member.fget
        annotation = str(inspect.get_annotations(function).get("return", ""))
        yield name, _name_shape(annotation), _shorten(inspect.getdoc(member) or "")


def _list_properties(part: type[Any]) -> Iterable[tuple[str, Any]]:
    members: dict[str, Any] = {}
    for base in reversed(part.__mro__):
        if base not in {View, object}:
            members |= vars(base)
    return [
        (name, member)
        for name, member in members.items()
        if isinstance(member, property | cached_property) and not name.startswith("_") and name != "defined"
    ]


def _name_shape(annotation: str) -> str:
    plain = annotation.removesuffix(" | None")
    return _SHAPES.get(plain, f"`{plain}`") + (", or None" if plain != annotation else "")


def _find_meaning(part: type[Any], field: str) -> str:
    """Return the clauses of a docstring that explain a field; the docstrings of base classes count, too."""
    for base in part.__mro__:
        text = " ".join((base.__doc__ or "").split())
        clauses = [
            clause for clause in re.split(r"(?<=[.;:]) (?=\S)", text) if re.search(rf"``{field}``", clause)
        ]
        if clauses and base is not View:
            return _shorten(" ".join(clauses))
    return ""


def _shorten(sentence: str) -> str:
    words = " ".join(sentence.split()).rstrip(".;:")
    words = words if words.startswith("``") or words[1:2].isupper() else words[:1].lower() + words[1:]
    return words.replace("``", "`").replace("|", "\\|")


def _read_prose(part: type[Any]) -> str:
    return " ".join((inspect.getdoc(part) or "").split()).replace("``", "`")


def _tabulate(part: type[Any]) -> str:
    rows = [f"| `{name}` | {shape} | {meaning} |" for name, shape, meaning in describe_members(part)]
    return "\n".join(["| name | shape | meaning |", "|---|---|---|", *rows])
