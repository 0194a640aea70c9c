"""Creates and reads the configuration of a campaign, a TOML file; errors name the line."""

from __future__ import annotations

import json
import os
import re
import textwrap
import tomllib
from pathlib import Path
from typing import Any

from doxel.arguments import check_arguments
from doxel.campaign.campaign import Campaign, PoolSettings
from doxel.campaign.configuration_keys import (
    CONFIGURATION_KEYS,
    CONFIGURATION_SECTIONS,
    ConfigurationKey,
    list_keys,
)
from doxel.errors import InputError
from doxel.files import explain_os_error, read_text, write_file, write_folder
from doxel.wording import did_you_mean, quote_value

__all__ = ["CONFIGURATION_FILE", "build_template", "create_campaign", "read_campaign"]

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


def build_template(name: str) -> str:
    """Return the configuration file of a new campaign, with a comment on every key."""
    pieces = [_OPENING]
    for section, about in CONFIGURATION_SECTIONS.items():
        if section:
            pieces.append("\n" + "\n".join([*_format_comment(about), f"[{section}]"]) + "\n")
        for key in CONFIGURATION_KEYS:
            if key.section != section:
                continue
            value = json.dumps(name, ensure_ascii=False) if key.written == '"{name}"' else key.written
            line = f"{key.name} = {value}"
            pieces.append(
                "\n".join([*_format_comment(key.about), line if key.active else f"# {line}"]) + "\n"
            )
    return "".join(pieces)


def _format_comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def create_campaign(folder: str | os.PathLike[str], *, name: str | None = None) -> Campaign:
    """Create a campaign in a folder and return it; existing files are left unchanged.

    Raise an error if the folder already contains a campaign.
    """
    out = Path(folder)
    if (out / CONFIGURATION_FILE).exists():
        raise InputError(
            "this folder already contains a campaign",
            file=str(out / CONFIGURATION_FILE),
            wanted=f"a folder without {CONFIGURATION_FILE}",
        )
    title = name or out.resolve().name
    if not title.strip() or not title.isprintable():
        raise InputError("name of the campaign", wanted="a line of text", found=repr(title))
    contents = {f"{part}/{_PLACEHOLDER}": about for part, about in _FOLDERS.items()}
    contents |= {".gitignore": _IGNORED, CONFIGURATION_FILE: build_template(title)}
    with write_folder(out, last=CONFIGURATION_FILE) as staged:
        for file, content in contents.items():
            if not (out / file).exists():
                (staged / file).parent.mkdir(exist_ok=True)
                write_file(staged / file, content.encode())
    return read_campaign(out)


CONFIGURATION_FILE = "campaign.toml"

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_PAIR = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*[.=]""")


@check_arguments
def read_campaign(path: str | os.PathLike[str]) -> Campaign:
    """Read the configuration of a campaign: ``path`` is its folder or its file.

    An unknown key or an invalid value is an error that names the line.
    """
    file = Path(path)
    try:
        if not file.is_file():
            file = file / CONFIGURATION_FILE
        is_present = file.is_file()
    except OSError as error:
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=str(path)) from None
    if not is_present:
        raise InputError(
            "not a campaign",
            file=str(file.parent),
            wanted=f"a folder with {CONFIGURATION_FILE}, made by 'doxel campaign init'",
            found=f"a folder without {CONFIGURATION_FILE}" if file.parent.is_dir() else "nothing",
        )
    text = read_text(file)
    values = _ConfigurationValues(_parse_toml(text, file), text, file)
    return _build_campaign(values, file)


def _build_campaign(values: _ConfigurationValues, file: Path) -> Campaign:
    folder = file.parent

    def places(section: str, name: str) -> tuple[Path, ...]:
        return tuple(folder / path for path in values.get(section, name))

    selected, assessed = values.get("topics", "selected"), values.get("topics", "assessed")
    if selected and (others := [topic for topic in assessed if topic not in selected]):
        raise values.error("topics", "assessed", wanted="topics that are also selected", found=others[0])
    settings = {name: values.get("pool", name) for name in PoolSettings.__dataclass_fields__}
    scoring = {
        key.name: values.get("evaluation", key.name)
        for key in CONFIGURATION_KEYS
        if key.section == "evaluation"
    }
    return Campaign(
        file=file,
        folder=folder,
        name=values.get("", "name") or folder.resolve().name,
        collection=folder / values.get("collection", "folder"),
        sources=places("collection", "sources"),
        fingerprint=values.get("collection", "fingerprint"),
        candidate=places("topics", "candidate"),
        selected=selected,
        assessed=assessed,
        runs=places("runs", "files"),
        pool=folder / values.get("pool", "file"),
        pooling=PoolSettings(**settings),
        assessments=places("assessments", "files"),
        measures=scoring.pop("measures"),
        report=folder / values.get("report", "folder"),
        scoring={name: value for name, value in scoring.items() if value is not None},
    )


def _parse_toml(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        problem = _PLACE.sub("", message)
        raise InputError(
            "not a configuration",
            file=str(file),
            line=line,
            wanted="TOML",
            found=problem[:1].lower() + problem[1:],
        ) from None
    except (ValueError, RecursionError) as error:  # numbers with thousands of digits, deeply nested brackets
        raise InputError("not a configuration", file=str(file), wanted="TOML", found=str(error)) from None


class _ConfigurationValues:
    """The values of a configuration file, checked against the declared keys."""

    def __init__(self, data: dict[str, Any], text: str, file: Path) -> None:
        self._text, self._file = text, str(file)
        self._values: dict[tuple[str, str], Any] = {
            (key.section, key.name): key.default for key in CONFIGURATION_KEYS
        }
        self._store("", {name: value for name, value in data.items() if name not in CONFIGURATION_SECTIONS})
        for section in CONFIGURATION_SECTIONS:
            if section and section in data:
                if not isinstance(data[section], dict):
                    raise self.error(
                        "", section, wanted=f"a section [{section}]", found=quote_value(data[section])
                    )
                self._store(section, data[section])

    def get(self, section: str, name: str) -> Any:
        """Return the value of a key, or its default if the file does not set it."""
        return self._values[section, name]

    def _store(self, section: str, values: dict[str, Any]) -> None:
        keys = {key.name: key for key in CONFIGURATION_KEYS if key.section == section}
        for name, value in values.items():
            if name not in keys:
                raise self._build_key_error(section, name)
            self._values[section, name] = self._accept(keys[name], value)

    def _accept(self, key: ConfigurationKey, value: Any) -> Any:
        try:
            return key.accept(value)
        except InputError as error:
            wanted = error.wanted or str(error)
            raise self.error(key.section, key.name, wanted=wanted, found=quote_value(value)) from None

    def _build_key_error(self, section: str, name: str) -> InputError:
        keys = list_keys(section)
        hint = did_you_mean(name, [key.strip("[]") for key in keys])
        where = f" in [{section}]" if section else ""
        return InputError(
            f"unknown key{where}",
            file=self._file,
            line=_find_line(self._text, section, name),
            wanted=f"one of {', '.join(keys)}",
            found=f"{name!r}{hint}",
        )

    def error(self, section: str, name: str, *, wanted: str, found: str) -> InputError:
        """Return the error for an invalid value."""
        where = f" of [{section}]" if section else ""
        line = _find_line(self._text, section, name)
        return InputError(f"{name}{where}", file=self._file, line=line, wanted=wanted, found=found)


def _find_line(text: str, section: str, name: str) -> int | None:
    """Return the line of a key, or of a section if ``name`` is one at the top of the file."""
    here = ""
    for number, line in enumerate(text.split("\n"), 1):
        header, pair = _HEADER.fullmatch(line), _PAIR.match(line)
        if header:
            here = header[1].strip().strip("\"'")
            if not section and here.partition(".")[0] == name:
                return number
        elif pair and here == section and name in pair.groups():
            return number
    return None
