"""The keys of a campaign's configuration, each declared once, and the checks of their values.

The commented file that ``doxel campaign init`` writes, the reader and its error messages all derive from
this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from doxel.errors import DoxelError, InputError
from doxel.evaluation.inputs.evaluation_options import check_limit, check_option, check_task
from doxel.evaluation.inputs.measure_sets import expand_sets
from doxel.pooling.pool_candidates import DEPTH_UNITS
from doxel.pooling.pool_making import JUDGING_ORDERS
from doxel.topics.query_structure import Structure

__all__ = ["CONFIGURATION_KEYS", "CONFIGURATION_SECTIONS", "ConfigurationKey", "accept_texts", "list_keys"]

_LARGEST = 10**9
_LONGEST_STEP, _MOST_STEPS = (
    255,
    100,
)  # bytes per step that file systems allow; more steps than any real path has


def _build_value_error(wanted: str) -> InputError:
    """Return the error for an invalid value; the reader adds file and line."""
    return InputError("value", wanted=wanted)


def _accept_text(value: Any) -> str:
    """Accept a string that is not empty."""
    if isinstance(value, str) and value.strip():
        return value
    raise _build_value_error("a string that is not empty")


def accept_texts(value: Any) -> tuple[str, ...]:
    """Accept a list of strings, or one string."""
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list) and all(isinstance(text, str) and text.strip() for text in listed):
        return tuple(listed)
    raise _build_value_error("a string, or a list of strings, none of them empty")


def _accept_path(value: Any) -> str:
    """Accept the path of a file or folder."""
    path = _accept_text(value)
    steps = path.split("/")
    if "\0" in path or len(steps) > _MOST_STEPS or any(len(step.encode()) > _LONGEST_STEP for step in steps):
        raise _build_value_error("a valid path")
    return path


def _accept_paths(value: Any) -> tuple[str, ...]:
    """Accept a list of paths and patterns, or one of them."""
    return tuple(map(_accept_path, accept_texts(value)))


def _accept_ids(value: Any) -> tuple[str, ...]:
    """Accept a list of distinct topic ids; numbers become strings."""
    if not isinstance(value, list) or not all(_is_id(topic) for topic in value):
        raise _build_value_error('a list of topic ids, such as ["1", "2"]')
    topics = tuple(str(topic).strip() for topic in value)
    if len(set(topics)) < len(topics):
        raise _build_value_error("each topic only once")
    return topics


def _is_id(value: Any) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number or (isinstance(value, str) and bool(value.strip()))


def _accept_whole(lowest: int) -> Callable[[Any], int]:
    """Return a function that accepts whole numbers from ``lowest``."""

    def accept(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= _LARGEST:
            return value
        raise _build_value_error(f"a whole number from {lowest}")

    return accept


def _accept_flag(value: Any) -> bool:
    """Accept true or false."""
    if isinstance(value, bool):
        return value
    raise _build_value_error("true or false")


def _accept_word(words: tuple[str, ...]) -> Callable[[Any], str]:
    """Return a function that accepts one of ``words``."""

    def accept(value: Any) -> str:
        if value in words:
            return str(value)
        raise _build_value_error(" or ".join(words))

    return accept


def _accept_fingerprint(value: Any) -> str:
    """Accept the fingerprint of a collection."""
    if isinstance(value, str) and len(value) == 32 and set(value) <= set("0123456789abcdef"):
        return value
    raise _build_value_error("a fingerprint as 'doxel campaign status' prints it: 32 digits from 0 to f")


def _delegate(accept: Callable[[Any], Any], value: Any) -> Any:
    """Check a value with a function of another room; its error becomes one of the configuration."""
    try:
        return accept(value)
    except DoxelError as error:
        raise _build_value_error(getattr(error, "wanted", None) or str(error)) from None


def _accept_option(name: str) -> Callable[[Any], Any]:
    """Return a function that accepts the values of an option of ``evaluate``."""
    return lambda value: _delegate(lambda word: check_option(name, word), value)


def _accept_task(value: Any) -> Any:
    """Accept a task, by any name that a year gave it."""
    return _delegate(check_task, _accept_text(value))


def _accept_measures(value: Any) -> tuple[str, ...]:
    """Accept measures and named sets."""
    measures = accept_texts(value)
    _delegate(partial(expand_sets, run_files=False), measures)
    return measures


def _accept_limit(value: Any) -> int | str | None:
    """Accept a number of results, or ``none``."""
    if value == "none":
        return "none"
    limit: int | None = _delegate(check_limit, value)
    return limit


def _accept_structure(value: Any) -> str:
    """Accept how structure is matched: target=strict, SCAS."""
    _delegate(Structure.parse, _accept_text(value))
    return _accept_text(value)


@dataclass(frozen=True)
class ConfigurationKey:
    """A key: its section, the check of its values, and its lines in the template.

    ``default`` is its value if the file does not set it.  ``written`` is the value in the template, where
    the key is commented out unless ``active``.
    """

    section: str
    name: str
    accept: Callable[[Any], Any]
    default: Any
    written: str
    about: str
    active: bool = True


# Descriptions of the sections; the empty name is the top of the file.
CONFIGURATION_SECTIONS = {
    "": "",
    "collection": "The ingested documents.",
    "topics": "The topics.  All proposed topics (candidate) are in files; lists of ids name those that were "
    "released to participants (selected) and those that were judged (assessed).",
    "runs": "The runs of the participants.",
    "pool": "The documents to judge; 'doxel campaign pool' makes the pool from the runs.",
    "assessments": "The judgements of the assessors.",
    "evaluation": "Options of 'doxel evaluate' for 'doxel campaign evaluate' and 'doxel campaign report'.  "
    "Options on the command line take precedence.",
    "report": "The page that 'doxel campaign report' writes.",
}

CONFIGURATION_KEYS = (
    ConfigurationKey("", "name", _accept_text, None, '"{name}"', "The name of the campaign."),
    ConfigurationKey(
        "collection",
        "folder",
        _accept_path,
        "collection.doxel",
        '"collection.doxel"',
        "The collection, made by: doxel ingest documents -o collection.doxel",
    ),
    ConfigurationKey(
        "collection",
        "sources",
        _accept_paths,
        ("documents",),
        '["documents"]',
        "The files and folders to ingest.",
    ),
    ConfigurationKey(
        "collection",
        "fingerprint",
        _accept_fingerprint,
        None,
        '"0123456789abcdef0123456789abcdef"',
        "Uncomment to reject collections with other texts.  'doxel campaign status' prints the fingerprint.",
        active=False,
    ),
    ConfigurationKey(
        "topics",
        "candidate",
        _accept_paths,
        ("topics",),
        '["topics"]',
        "Files and folders with all proposed topics.",
    ),
    ConfigurationKey(
        "topics",
        "selected",
        _accept_ids,
        (),
        '["1", "2"]',
        "The released topics.  Default: all.",
        active=False,
    ),
    ConfigurationKey(
        "topics",
        "assessed",
        _accept_ids,
        (),
        '["1"]',
        "The topics to score.  Default: all judged topics.",
        active=False,
    ),
    ConfigurationKey(
        "runs",
        "files",
        _accept_paths,
        ("runs",),
        '["runs"]',
        "Files, folders and patterns such as runs/*.xml",
    ),
    ConfigurationKey(
        "pool", "file", _accept_path, "pools/pool.jsonl", '"pools/pool.jsonl"', "The pool file."
    ),
    ConfigurationKey(
        "pool",
        "depth",
        _accept_whole(1),
        None,
        "10",
        "Pool the first N documents or results of each run per topic (see count).",
    ),
    ConfigurationKey(
        "pool",
        "count",
        _accept_word(DEPTH_UNITS),
        "documents",
        '"documents"',
        "What depth counts: documents or results.",
    ),
    ConfigurationKey(
        "pool",
        "documents",
        _accept_whole(1),
        None,
        "100",
        "Stop at N documents per topic; can be combined with depth.",
        active=False,
    ),
    ConfigurationKey(
        "pool",
        "judging",
        _accept_word(JUDGING_ORDERS),
        "shuffled",
        '"shuffled"',
        "The order of judging: shuffled (hides the ranks), pooled, or collection.",
    ),
    ConfigurationKey("pool", "seed", _accept_whole(0), 0, "0", "Seed of the shuffled order."),
    ConfigurationKey(
        "assessments",
        "files",
        _accept_paths,
        ("assessments",),
        '["assessments"]',
        "Files and folders in any assessment format.",
    ),
    ConfigurationKey(
        "evaluation",
        "measures",
        _accept_measures,
        (),
        '["inex2009-focused"]',
        "Measures and named sets; 'doxel measures' lists them.  Default: the official set of the task.",
    ),
    ConfigurationKey(
        "evaluation",
        "task",
        _accept_task,
        None,
        '"focused"',
        "The task of all runs.  Default: the task that each run declares.",
        active=False,
    ),
    ConfigurationKey(
        "evaluation",
        "topics",
        _accept_option("topics"),
        None,
        '"assessed"',
        "Average over all assessed topics (assessed) or over the topics of the run (run).",
        active=False,
    ),
    ConfigurationKey(
        "evaluation",
        "quant",
        _accept_text,
        None,
        '"gen"',
        "The quantisation (how grades become gains) of measures that name none.",
        active=False,
    ),
    ConfigurationKey(
        "evaluation",
        "limit",
        _accept_limit,
        None,
        "1500",
        'Score only the first N results per topic: a number, or "none".',
        active=False,
    ),
    ConfigurationKey(
        "evaluation",
        "order",
        _accept_option("order"),
        None,
        '"rank"',
        "Rank results by their rank, their order in the file, or their score: rank, file or score.",
        active=False,
    ),
    ConfigurationKey(
        "evaluation",
        "sizes",
        _accept_option("sizes"),
        None,
        '"collection"',
        "Take element sizes from the assessments (declared) or from the collection.",
        active=False,
    ),
    ConfigurationKey(
        "evaluation",
        "on_invalid",
        _accept_option("on_invalid"),
        None,
        '"reject"',
        "Runs that do not meet a measure's requirements: reject or repair.",
        active=False,
    ),
    ConfigurationKey(
        "evaluation",
        "structure",
        _accept_structure,
        None,
        '"target=strict,support=vague"',
        "Whether results must match the structure of the queries: strict or vague.",
        active=False,
    ),
    ConfigurationKey(
        "evaluation",
        "fol_end",
        _accept_flag,
        None,
        "false",
        "Read the last column of 8-column runs as an end offset, not a length.",
        active=False,
    ),
    ConfigurationKey("report", "folder", _accept_path, "report", '"report"', "The folder to write."),
)


def list_keys(section: str) -> list[str]:
    """Return the keys of a section; for the top of the file, also the sections."""
    keys = [key.name for key in CONFIGURATION_KEYS if key.section == section]
    return keys if section else [*keys, *(f"[{name}]" for name in CONFIGURATION_SECTIONS if name)]
