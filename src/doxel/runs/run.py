"""A run: the ranked results of one system, with unique names for runs and the names of tasks.

==========  ===========================================================================================
2002-2004   CO, CAS, SCAS, VCAS: any element, overlapping or not; doxel's thorough
2005        CO.Thorough, CO.Focussed, CO.FetchBrowse, the same with COS for CO; SSCAS, SVCAS, VSCAS, VVCAS
2006        Thorough, Focused, AllInContext, BestInContext
2007-2008   Focused, RelevantInContext, BestInContext
==========  ===========================================================================================

Case, white space and punctuation in the names of tasks do not matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

import polars as pl

from doxel.arguments import check_methods
from doxel.documents.document_names import NO_DOCUMENT
from doxel.tables import Column, Table
from doxel.topics.query_structure import SUBTASKS
from doxel.wording import pluralise

__all__ = [
    "ABOUT_KEYS",
    "FINGERPRINT",
    "INEX_TASK_NAMES",
    "NOT_FOUND_OFFSET",
    "NO_DOCUMENT",
    "RESULTS",
    "TASK_NAMES",
    "Run",
    "find_subtask",
    "find_task",
    "list_task_names",
    "name_runs",
]

FINGERPRINT = re.compile(r"\b[0-9a-f]{32}\b")  # of a collection
NOT_FOUND_OFFSET = -1  # the start of a result that its own system did not find in the collection (offset X)

RESULTS = Table(
    "results of a run",
    (
        Column("topic", pl.String, "the topic's id", required=True),
        Column("doc", pl.String, "the document, by id or path", required=True),
        Column("rank", pl.Int64, "the rank as written; null where the file has none"),
        Column("rsv", pl.Float64, "the retrieval status value; null where the file has none"),
        Column("path", pl.String, "an element's path, or where a range or passage starts"),
        Column("path_end", pl.String, "where a range or passage ends"),
        Column(
            "start", pl.Int64, "first character of a span or entry point; -1: not found in the collection"
        ),
        Column("end", pl.Int64, "end of a span; null for an entry point"),
        Column("text", pl.String, "the retrieved text, quoted"),
        Column("line", pl.UInt32, "the line of the file"),
    ),
)

ABOUT_KEYS = {
    "participant-id": "who made the run",
    "task": "the task, as named in its year",
    "query": "automatic or manual",
    "topic-part": "the parts of topics that were used (2002-2005)",
    "submission-type": "ad hoc or another track (2005)",
    "result-type": "element, passage or fol (2007 and later)",
    "topic-fields": 'the parts of topics that were used, such as "title=yes castitle=no" (2005 and later)',
    "description": "how the run was made",
    "collections": "the collections it was made from",
    "empty-topics": "the topics it lists without results",
}


@check_methods
@dataclass(frozen=True)
class Run:
    """The results of one system, in file order; ``results`` has the columns of ``RESULTS``.

    A result is a span (start, end), an entry point (start), an element (path), a range or passage
    (path, path_end), a quoted text, or, with none of these, its whole document.  If several of these
    apply, the first counts; but a text that is not at its offsets counts instead of them, if there is a
    collection to find it in.

    ``task`` is the task that the file declares, by doxel's name for it; ``about`` holds the other
    metadata of the file, under the keys of ``ABOUT_KEYS``, or, under the name of a campaign's format, the
    objects of its file as lines of JSON; ``notes`` are sentences that list the data left out when reading.
    ``foreign_names`` (line, names, question) are all names of the document and the text of the question in
    each line of a file that has other names for them than doxel; they are matched when the run is scored.
    ``unread_texts`` are the names of columns with texts that were left out when reading.
    """

    id: str
    results: pl.DataFrame
    task: str | None = None
    file: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    notes: tuple[str, ...] = ()
    foreign_names: pl.DataFrame | None = field(default=None, repr=False, compare=False)
    unread_texts: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __repr__(self) -> str:
        topics = pluralise(self.results["topic"].n_unique(), "topic")
        return f"<Run {self.id!r}: {pluralise(self.results.height, 'result')} for {topics}>"

    @property
    def topics(self) -> list[str]:
        """The topics with results, in the order of the file."""
        return self.results["topic"].unique(maintain_order=True).to_list()

    @property
    def fingerprints(self) -> list[str]:
        """The fingerprints in the header: those of the collections from which the run was made."""
        header = " ".join(self.about.get(key, "") for key in ("fingerprint", "collections"))
        return FINGERPRINT.findall(header)

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The run as the tables that a format must keep: "results", and "about" with one row.

        The row has the run's id, its task by doxel's name, and the other entries of ``about``.
        """
        about = {**self.about, "id": self.id or None, "task": self.task}
        row = pl.DataFrame({name: pl.Series([value], dtype=pl.String) for name, value in about.items()})
        return {"results": self.results.select(RESULTS.schema.keys()).drop("line"), "about": row}


def name_runs(runs: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return a unique name for each run, given by id and file: the id, or ``id:file`` if ids repeat.

    If the file names are the same too, their paths are used, and otherwise their positions in the list.

    >>> name_runs([("a", "x/1.run"), ("b", "x/2.run"), ("a", "x/3.run")])
    ['a:1.run', 'b', 'a:3.run']
    >>> name_runs([("a", "x/1.run"), ("a", "y/1.run")])
    ['a:x/1.run', 'a:y/1.run']
    >>> name_runs([("a", None), ("a", None)])
    ['a:1', 'a:2']
    """
    names = [run for run, _ in runs]
    for shared_id in [name for name, count in Counter(names).items() if count > 1]:
        rows = [row for row, (run, _) in enumerate(runs) if run == shared_id]
        for row, suffix in zip(rows, _find_suffixes([runs[row][1] for row in rows]), strict=True):
            names[row] = f"{shared_id}:{suffix}"
    return names


def _find_suffixes(files: list[str | None]) -> list[str]:
    paths = [file for file in files if file is not None]
    for suffixes in ([PurePath(path).name for path in paths], paths):
        if len(set(suffixes)) == len(files):
            return suffixes
    return [str(number) for number, _ in enumerate(files, 1)]


TASK_NAMES = {
    "thorough": ("Thorough", "CO", "COS", "CAS", "SCAS", "VCAS", "SSCAS", "SVCAS", "VSCAS", "VVCAS"),
    "focused": ("Focused", "Focussed"),
    "relevant-in-context": ("RelevantInContext", "AllInContext"),
    "best-in-context": ("BestInContext",),
    "fetch-and-browse": ("FetchBrowse", "FetchAndBrowse"),
}
INEX_TASK_NAMES = {task: names[0] for task, names in TASK_NAMES.items()}

_TASKS_BY_NAME = {name.lower(): task for task, names in TASK_NAMES.items() for name in names}
_TASK_PREFIX = re.compile(r"^(?:COS|CO|CAS|\+S)\s*[.:/]\s*", re.IGNORECASE)


def find_task(name: str) -> str | None:
    """Return doxel's task for a name, or None if the name is unknown.

    >>> find_task("COS.Focussed"), find_task("relevant in context "), find_task("VVCAS")
    ('focused', 'relevant-in-context', 'thorough')
    """
    bare = re.sub(r"[\W_]+", "", _TASK_PREFIX.sub("", name.strip()))
    return _TASKS_BY_NAME.get(bare.lower())


def find_subtask(task: str) -> str | None:
    """Return the sub-task for queries with structure that a run's task names, or None.

    >>> find_subtask("SCAS"), find_subtask(" v-cas"), find_subtask("CO.Focussed")
    ('SCAS', 'VCAS', None)
    """
    name = re.sub(r"[\W_]+", "", task).upper()
    return name if name in SUBTASKS and name.endswith("CAS") else None


def list_task_names() -> str:
    """Return all known task names as a list for error messages."""
    return (
        ", ".join(name for names in TASK_NAMES.values() for name in names)
        + ", CO. or COS. before any of them"
    )
