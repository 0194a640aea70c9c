"""The reference of the Python interface, from the public names and their docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import doxel
import doxel.errors
from doxel.assessments.assessments import ASSESSMENT_TABLES
from doxel.evaluation.evaluation_result import SCORES, Rejection
from doxel.pooling.document_pool import CONTRIBUTIONS, DOCUMENTS, PARTS
from doxel.recallbases.recall_base_table import RECALL_BASE
from doxel.runs import RESULTS
from doxel.tables import Table
from doxel.topics import TOPICS
from pagemaker import docstrings
from pagemaker.escaping import anchor, element, table, text
from pagemaker.markdown import Heading
from pagemaker.template import Page

__all__ = ["page"]

_MEMORY = re.compile(r"<object object at 0x[0-9a-f]+>")
_DECLARED: dict[str, tuple[Table, ...]] = {
    "Topics": (TOPICS,),
    "Run": (RESULTS,),
    "Assessments": tuple(ASSESSMENT_TABLES.values()),
    "Evaluation": (SCORES,),
    "Pool": (DOCUMENTS, PARTS, CONTRIBUTIONS),
    "recall_base": (RECALL_BASE,),
}


def page() -> Page:
    """Return the page of all public names: functions first, then classes, then errors."""
    names = [name for name in doxel.__all__ if not name.startswith("_")]
    functions = [name for name in names if not inspect.isclass(getattr(doxel, name))]
    classes = [name for name in names if name not in functions]
    errors = doxel.errors.__all__
    headings = [Heading(2, "functions", "Functions")]
    pieces = [
        element("h1", "The Python interface"),
        element(
            "p",
            "What "
            + element("code", "import doxel")
            + " gives. Each name is imported when it is first used.",
            class_="summary",
        ),
        element("h2", "Functions", id="functions"),
    ]
    for name in functions:
        headings.append(Heading(3, name, element("code", text(name))))
        pieces.append(_function(name, getattr(doxel, name), level=3, name=name))
        pieces.extend(map(_columns, _DECLARED.get(name, ())))
    headings.append(Heading(2, "classes", "Classes"))
    pieces.append(element("h2", "Classes", id="classes"))
    for name in classes:
        headings.append(Heading(3, name, element("code", text(name))))
        pieces.extend(_class(name, getattr(doxel, name)))
    pieces.extend(_class("Rejection", Rejection))
    headings.append(Heading(2, "errors", "Errors"))
    pieces += [element("h2", "Errors", id="errors"), docstrings.render(doxel.errors.__doc__ or "")]
    for name in errors:
        kind = getattr(doxel.errors, name)
        pieces += [element("h3", element("code", text(f"doxel.errors.{name}")), id=name), _text_of(kind)]
    return Page("api.html", "The Python interface", "\n".join(pieces), headings)


def _function(shown: str, function: Callable[..., Any], *, level: int, name: str) -> str:
    signature = _MEMORY.sub("...", str(_plain(inspect.signature(function))))
    heading = element(f"h{level}", element("code", text(shown)), id=name)
    spelt = element("pre", element("code", text(_folded(f"{shown}{signature}"))), class_="signature")
    return heading + spelt + _text_of(function)


class _Written(str):
    """An annotation that shows as it is written, and not as the string that it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _plain(signature: inspect.Signature) -> inspect.Signature:
    """Return a signature whose annotations show without quotes."""

    def written(annotation: Any) -> Any:
        return _Written(annotation) if isinstance(annotation, str) else annotation

    parameters = [one.replace(annotation=written(one.annotation)) for one in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=written(signature.return_annotation))


def _folded(signature: str) -> str:
    """Return a signature, one parameter a line where it is long; annotations keep their commas."""
    if len(signature) < 90:
        return signature
    opened, depth, pieces = signature.index("(") + 1, 0, [""]
    closed = signature.rindex(")")
    for sign in signature[opened:closed]:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += sign
    lines = "".join(f"    {piece.strip()},\n" for piece in pieces)
    return f"{signature[:opened]}\n{lines}{signature[closed:]}"


def _text_of(thing: Any) -> str:
    return docstrings.render(inspect.getdoc(thing) or "", level=5)


def _class(name: str, kind: type[Any]) -> Iterator[str]:
    yield element("h3", element("code", text(name)), id=name)
    yield _text_of(kind)
    if dataclasses.is_dataclass(kind):
        fields = [
            (one.name, _annotation(one.type))
            for one in dataclasses.fields(kind)
            if not one.name.startswith("_")
        ]
        rows = [[element("code", text(one)), element("code", text(what))] for one, what in fields]
        yield table(("field", "type"), rows)
    for table_ in _DECLARED.get(name, ()):
        yield _columns(table_)
    for member, value in _members(kind):
        anchor_name = f"{name}.{member}"
        if isinstance(value, property | cached_property):
            yield element("h4", element("code", text(member)), id=anchor_name) + _text_of(value)
        else:
            yield _function(member, value, level=4, name=anchor_name)


def _annotation(written: Any) -> str:
    return written if isinstance(written, str) else getattr(written, "__name__", str(written))


def _members(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the public properties and methods that a class itself has, in the order of its code."""
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(value, classmethod | staticmethod):
            yield name, getattr(kind, name)
        elif isinstance(value, property | cached_property) or inspect.isfunction(value):
            yield name, value


def _columns(declared: Table) -> str:
    rows = [
        [element("code", text(one.name)), text(_type(one.dtype)), text(one.about)] for one in declared.columns
    ]
    name = f"table-{anchor(declared.name)}"
    shown = table(("column", "type", "meaning"), rows, caption=f"Columns: {text(declared.name)}")
    return element("div", shown, id=name)


def _type(dtype: Any) -> str:
    return getattr(dtype, "__name__", str(dtype))
