"""The Python reference: one page per subject, from the public names of the package."""

from __future__ import annotations

import importlib
from typing import Any

import doxel
from doxel.documents.ingestion import IngestReport
from doxel.evaluation.analysis.regression_gate import GateCheck, GateVerdict
from doxel.evaluation.analysis.run_comparison import Comparison
from doxel.evaluation.evaluation_result import Rejection
from doxel.notebook.result_plots import ResultPicture
from doxel.notebook.topic_differences import RunDifference, ShownPassage, TopicDifference
from doxel.tables import Table
from pagemaker import rst

__all__ = ["pages", "subjects"]

# Classes that public functions return, but that doxel itself does not export.
_RETURNED: dict[str, tuple[type[Any], ...]] = {
    "documents": (IngestReport,),
    "evaluation": (
        Rejection,
        Comparison,
        GateVerdict,
        GateCheck,
        RunDifference,
        TopicDifference,
        ShownPassage,
        ResultPicture,
    ),
}
_OPENING = """\
``import doxel`` exports the functions and classes below; each is imported when it is first used.
Every error that doxel raises is one of :doc:`errors`.  The functions of ``doxel.studies`` are described with
the :doc:`studies </studies/index>`."""


def subjects() -> dict[str, list[str]]:
    """Return the public names by the package that defines them."""
    names: dict[str, list[str]] = {}
    for name, module in doxel._HOMES.items():  # noqa: SLF001 -- the one list of public names
        names.setdefault(module.split(".")[1], []).append(name)
    return names


def pages() -> dict[str, str]:
    """Return the overview, one page per subject, and the page of errors, by file name."""
    overview = [
        rst.heading("Python reference"),
        _OPENING,
        rst.toctree(dict.fromkeys([*subjects(), "errors"])),
    ]
    texts: dict[str, str] = {}
    for subject, names in subjects().items():
        title, about = _title(subject)
        rows = [[_role(name), _summary(getattr(doxel, name))] for name in names]
        overview += [
            rst.heading(title, 2),
            f"{about} See :doc:`{subject}`.",
            rst.table(("name", "purpose"), rows),
        ]
        texts[subject] = "\n\n".join([rst.heading(title), about, *_members(subject, names)])
    texts["index"] = "\n\n".join(overview)
    texts["errors"] = f"{rst.heading('Errors')}\n\n.. automodule:: doxel.errors\n   :members:"
    return {f"api/{name}.rst": f"{text}\n" for name, text in texts.items()}


def _title(subject: str) -> tuple[str, str]:
    """Return the two halves of the first line of a package docstring: a title, and a description."""
    docstring = importlib.import_module(f"doxel.{subject}").__doc__ or ""
    title, _, about = docstring.partition("\n")[0].partition(": ")
    return title, f"{about[:1].upper()}{about[1:]}"


def _role(name: str) -> str:
    kind = "class" if isinstance(getattr(doxel, name), type) else "func"
    # the page of errors documents them where they are defined
    home = "doxel.errors" if doxel._HOMES[name] == "doxel.errors" else "doxel"  # noqa: SLF001
    return f":py:{kind}:`{home}.{name}`"


def _summary(member: Any) -> str:
    return " ".join((member.__doc__ or "").strip().partition("\n\n")[0].split())


def _members(subject: str, names: list[str]) -> list[str]:
    """Return the directives of a subject: classes, then functions, then declared tables."""
    classes = [f"doxel.{name}" for name in names if isinstance(getattr(doxel, name), type)]
    returned = [f"{member.__module__}.{member.__name__}" for member in _RETURNED.get(subject, ())]
    functions = [f"doxel.{name}" for name in names if f"doxel.{name}" not in classes]
    tables = {id(table): table for name in names for table in _tables(name)}
    return [
        *(f".. autofunction:: {name}" for name in functions),
        *(f".. autoclass:: {name}\n   :members:" for name in (*classes, *returned)),
        *(_columns(table) for table in tables.values()),
    ]


def _tables(name: str) -> list[Table]:
    """Return the tables that the module of a public name declares."""
    module = importlib.import_module(doxel._HOMES[name])  # noqa: SLF001
    members = [getattr(module, member) for member in module.__all__]
    return [member for member in members if isinstance(member, Table)]


def _columns(table: Table) -> str:
    rows = [
        [
            rst.literal(column.name),
            getattr(column.dtype, "__name__", str(column.dtype)),
            rst.escape(column.about),
        ]
        for column in table.columns
    ]
    title = f"Table: {table.name}"
    return f"{rst.heading(title, 2)}\n\n{rst.table(('column', 'type', 'meaning'), rows)}"
