"""Creates a new campaign: a folder with a commented configuration and a folder for each part."""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path

from doxel.campaign.campaign import Campaign
from doxel.campaign.configuration import FILE, read_campaign
from doxel.campaign.keys import KEYS, SECTIONS
from doxel.errors import InputError
from doxel.files import explain_os_error, write_atomically

__all__ = ["init_campaign", "template"]

_WIDTH = 110
_OPENING = """\
# The configuration of a campaign, read by 'doxel campaign'.  Paths are relative to this file.
# 'doxel campaign status' lists the parts that exist, are missing, or no longer match the others.

"""

# A file in each folder, so that git keeps it; hidden, so that it is not read as a document or run.
_FOLDERS = {
    "documents": """\
The source documents: XML, HTML, Markdown or text, as files, folders or archives.
Ingest them with 'doxel ingest documents -o collection.doxel', and again after each change.
""",
    "topics": "Topics in any format that doxel reads.  All files in this folder form one set.\n",
    "runs": "The runs, one file each, in any format that doxel reads.\n",
    "pools": """\
The pool that 'doxel campaign pool' makes from the runs.  It records which run retrieved what at which
rank, so it is for organisers only; with --blind it leaves that out.
""",
    "assessments": """\
The judgements of the assessors, in any format that doxel reads.  All files in this folder form one set.
""",
}
_PLACEHOLDER = ".gitkeep"
_IGNORED = """\
# can be made again from the other files
/collection.doxel/
/report/
# the assessors' database, with password hashes
/assess.sqlite*
"""


def template(name: str) -> str:
    """Return the configuration file of a new campaign, with a comment on every key."""
    pieces = [_OPENING]
    for section, about in SECTIONS.items():
        if section:
            pieces.append("\n" + "\n".join([*_comment(about), f"[{section}]"]) + "\n")
        for key in KEYS:
            if key.section != section:
                continue
            value = json.dumps(name, ensure_ascii=False) if key.written == '"{name}"' else key.written
            line = f"{key.name} = {value}"
            pieces.append("\n".join([*_comment(key.about), line if key.active else f"# {line}"]) + "\n")
    return "".join(pieces)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def init_campaign(folder: str | os.PathLike[str], *, name: str | None = None) -> Campaign:
    """Create a campaign in a folder and return it; existing files are left unchanged.

    Raise an error if the folder already contains a campaign.
    """
    out = Path(folder)
    if (out / FILE).exists():
        raise InputError(
            "this folder already contains a campaign", file=str(out / FILE), wanted=f"a folder without {FILE}"
        )
    title = name or out.resolve().name
    if not title.strip() or not title.isprintable():
        raise InputError("name of the campaign", wanted="a line of text", found=repr(title))
    try:
        for part in _FOLDERS:
            (out / part).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be created: {explain_os_error(error)}", file=str(out)) from error
    for part, about in _FOLDERS.items():
        _write_new(out / part / _PLACEHOLDER, about)
    _write_new(out / ".gitignore", _IGNORED)
    _write_new(out / FILE, template(title))
    return read_campaign(out)


def _write_new(path: Path, content: str) -> None:
    if path.exists():
        return
    with write_atomically(path) as stream:
        stream.write(content.encode())
