"""Creates and reads the configuration of a campaign, a TOML file; errors name the line."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from doxel.campaign.campaign import Campaign, PoolSettings
from doxel.campaign.keys import KEYS, SECTIONS, Key, known_keys
from doxel.errors import InputError
from doxel.files import read_text
from doxel.wording import did_you_mean, quote_value

__all__ = ["FILE", "read_campaign"]

FILE = "campaign.toml"

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_PAIR = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*[.=]""")


def read_campaign(path: str | os.PathLike[str]) -> Campaign:
    """Read the configuration of a campaign: ``path`` is its folder or its file.

    An unknown key or an invalid value is an error that names the line.
    """
    file = Path(path)
    if not file.is_file():
        file = file / FILE
    if not file.is_file():
        raise InputError(
            "not a campaign",
            file=str(file.parent),
            wanted=f"a folder with {FILE}, made by 'doxel campaign init'",
            found=f"a folder without {FILE}" if file.parent.is_dir() else "nothing",
        )
    text = read_text(file)
    values = _Values(_parsed(text, file), text, file)
    return _campaign(values, file)


def _campaign(values: _Values, file: Path) -> Campaign:
    folder = file.parent

    def places(section: str, name: str) -> tuple[Path, ...]:
        return tuple(folder / path for path in values.get(section, name))

    selected, assessed = values.get("topics", "selected"), values.get("topics", "assessed")
    if selected and (others := [topic for topic in assessed if topic not in selected]):
        raise values.error("topics", "assessed", wanted="topics that are also selected", found=others[0])
    settings = {name: values.get("pool", name) for name in PoolSettings.__dataclass_fields__}
    scoring = {key.name: values.get("evaluation", key.name) for key in KEYS if key.section == "evaluation"}
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


def _parsed(text: str, file: Path) -> dict[str, Any]:
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


class _Values:
    """The values of a configuration file, checked against the declared keys."""

    def __init__(self, data: dict[str, Any], text: str, file: Path) -> None:
        self._text, self._file = text, str(file)
        self._values: dict[tuple[str, str], Any] = {(key.section, key.name): key.default for key in KEYS}
        self._store("", {name: value for name, value in data.items() if name not in SECTIONS})
        for section in SECTIONS:
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
        keys = {key.name: key for key in KEYS if key.section == section}
        for name, value in values.items():
            if name not in keys:
                raise self._unknown_key(section, name)
            self._values[section, name] = self._accept(keys[name], value)

    def _accept(self, key: Key, value: Any) -> Any:
        try:
            return key.accept(value)
        except InputError as error:
            wanted = error.wanted or str(error)
            raise self.error(key.section, key.name, wanted=wanted, found=quote_value(value)) from None

    def _unknown_key(self, section: str, name: str) -> InputError:
        keys = known_keys(section)
        hint = did_you_mean(name, [key.strip("[]") for key in keys])
        where = f" in [{section}]" if section else ""
        return InputError(
            f"unknown key{where}",
            file=self._file,
            line=_line_of(self._text, section, name),
            wanted=f"one of {', '.join(keys)}",
            found=f"{name!r}{hint}",
        )

    def error(self, section: str, name: str, *, wanted: str, found: str) -> InputError:
        """Return the error for an invalid value."""
        where = f" of [{section}]" if section else ""
        line = _line_of(self._text, section, name)
        return InputError(f"{name}{where}", file=self._file, line=line, wanted=wanted, found=found)


def _line_of(text: str, section: str, name: str) -> int | None:
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
