"""BibTeX for a result: its measures and the software, with versions and checksums of the inputs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from doxel.errors import DoxelError, InputError
from doxel.evaluation.compat.campaigns.campaign_scorers import CAMPAIGN_SCORERS
from doxel.evaluation.saved_results import read_saved_content
from doxel.measures.bibliography import collect_sources, describe_software, find_sources, format_bibtex
from doxel.measures.measure_table import parse_measure
from doxel.wording import put_on_one_line

__all__ = ["Citation", "cite_content", "cite_saved_result"]


@dataclass(frozen=True)
class Citation:
    """The BibTeX for a result, and the measures for which no source is known."""

    bibtex: str
    unknown: tuple[str, ...] = ()


def cite_saved_result(path: str | os.PathLike[str]) -> Citation:
    """Return the BibTeX for a file of ``Evaluation.save`` or ``doxel evaluate -f json``."""
    content = read_saved_content(path)
    name = Path(path).name
    return cite_content(content, file=name, digest=sha256(Path(path).read_bytes()).hexdigest())


def cite_content(
    content: Mapping[str, Any], *, file: str | None = None, digest: str | None = None
) -> Citation:
    """Return the BibTeX for a result as data (``saved_results.describe_result``).

    The versions and checksums are in comments before the entries, and as fields of the entry of the
    software.  ``file`` and ``digest`` are the name and SHA-256 of the file of the result.
    """
    tool = str(_take_mapping(content, "parameters", file).get("compat", ""))
    references = dict(_find_reference(name, tool) for name in _list_measures(content, file))
    keys = {name: [entry.key for entry in find_sources(text)] for name, text in references.items()}
    unknown = [name for name in references if not keys[name]]
    versions = {str(key): str(value) for key, value in _take_mapping(content, "versions", file).items()}
    inputs = content.get("inputs")
    rows = inputs if isinstance(inputs, list) else []
    hashes = [row for row in rows if isinstance(row, Mapping) and {"role", "name", "sha256"} <= set(row)]
    lines = [f"Scores by {', '.join(f'{program} {version}' for program, version in versions.items())}"]
    lines += [f"result: {file}, sha256 {digest}"] if file is not None else []
    lines += [f"{row['role']}: {row['name']}, sha256 {row['sha256']}" for row in hashes]
    fingerprints = _take_mapping(content, "fingerprints", file)
    for label in ("assessments", "collection"):
        if fingerprints.get(label) is not None:
            lines.append(f"fingerprint of the {label}: {fingerprints[label]}")
    lines += [f"{name}: {', '.join(cited)}" for name, cited in keys.items() if cited]
    lines += [f"{name}: no source is known" for name in unknown]
    checksums = {"sha256": digest} if digest is not None else {}
    software = describe_software(versions.get("doxel", "unknown"), **checksums)
    entries = format_bibtex([software, *collect_sources(references.values())])
    return Citation("".join(map(_comment, lines)) + "\n" + entries, tuple(unknown))


def _comment(line: str) -> str:
    """Return a line that BibTeX ignores: it reads everything outside entries as a comment, but for an @."""
    return f"% {put_on_one_line(line).replace('@', ' at ')}\n"


def _list_measures(content: Mapping[str, Any], file: str | None) -> list[str]:
    rows = content["scores"] if isinstance(content["scores"], list) else []
    names = dict.fromkeys(str(row["measure"]) for row in rows if isinstance(row, dict) and "measure" in row)
    if not names:
        raise InputError("a citation", file=file, wanted="a result with scores", found="none")
    return list(names)


_TOOLS = {"trec_eval": "trec_eval", "inex_eval": "INEX 2010"}


def _find_reference(name: str, tool: str) -> tuple[str, str]:
    """Return a measure without its parameters, and its reference in words; nothing if none is known.

    ``tool`` is the one whose figures were computed, if any.
    """
    for scorer in CAMPAIGN_SCORERS:
        if any(name in figures for figures in scorer.sets.values()):
            return name, f"campaign {scorer.name}"
    try:
        declaration = parse_measure(name)[0].declaration
    except DoxelError:  # another tool's figure, or a measure whose code or library is not here
        return name, _TOOLS.get(tool, "")
    return (declaration.name if declaration.reference else name), declaration.reference


def _take_mapping(content: Mapping[str, Any], key: str, file: str | None) -> Mapping[str, Any]:
    value = content.get(key) or {}
    if not isinstance(value, Mapping):
        raise InputError(f"{key} of a saved result", file=file, wanted="an object", found=repr(value)[:60])
    return value
