"""A new campaign: a folder with a commented configuration, and a folder for each of its parts."""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path

from doxel.campaign.campaign import Campaign
from doxel.campaign.configuration import FILE, read_campaign
from doxel.campaign.keys import KEYS, SECTIONS
from doxel.errors import InputError
from doxel.files import atomic_write, explain_os_error

__all__ = ["init_campaign", "template"]

_WIDTH = 110
_OPENING = """\
# The configuration of a campaign, read by 'doxel campaign'.  Paths are relative to this file.
# 'doxel campaign status' says what is there, what is missing, and what no longer fits.

"""

# A folder has a file by which version control keeps it; hidden, so that it is no document and no run.
_FOLDERS = {
    "documents": """\
The source documents: XML, HTML, Markdown or text, as files, folders or archives.
Read them with 'doxel ingest documents -o collection.doxel', now and after each change.
""",
    "topics": "Topics in any format that doxel reads.  All files in this folder are one set.\n",
    "runs": "The runs, one file each, in any format that doxel reads.\n",
    "pools": """\
The pool that 'doxel campaign pool' makes of the runs.  It says which run had retrieved what at which
rank, so it is for organisers; with --blind it says nothing of that.
""",
    "assessments": """\
What assessors found relevant, in any format that doxel reads.  All files in this folder are one set.
""",
}
_KEPT_BY = ".gitkeep"
_IGNORED = """\
# made from the rest, at any time
/collection.doxel/
/report/
# where people judge: it holds the hashes of passwords
/assess.sqlite*
"""


def template(name: str) -> str:
    """Return the configuration of a new campaign, with a comment on every key."""
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
    """Lay out a new campaign in a folder, and return it; files that are there already are left alone.

    A folder that holds a campaign is refused.
    """
    out = Path(folder)
    if (out / FILE).exists():
        raise InputError(
            "a campaign is there already", file=str(out / FILE), wanted=f"a folder without {FILE}"
        )
    called = name or out.resolve().name
    if not called.strip() or not called.isprintable():
        raise InputError("the name of a campaign", wanted="a line of text", found=repr(called))
    try:
        for part in _FOLDERS:
            (out / part).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {explain_os_error(error)}", file=str(out)) from error
    for part, about in _FOLDERS.items():
        _write_new(out / part / _KEPT_BY, about)
    _write_new(out / ".gitignore", _IGNORED)
    _write_new(out / FILE, template(called))
    return read_campaign(out)


def _write_new(path: Path, content: str) -> None:
    if path.exists():
        return
    with atomic_write(path) as stream:
        stream.write(content.encode())
