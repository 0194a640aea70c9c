"""Test the wheel in environments that contain nothing else: without extras, with each alone, with all.

``{demo}`` is the folder that ``doxel demo`` writes.  A command that needs an extra must name the extra if it
is missing, and work with it.
"""

from __future__ import annotations

import subprocess
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

from tools.wheel.building import WheelError, run

__all__ = ["EXTRAS", "try_all", "try_base", "try_extra"]

_SCORED = "-a {demo}/assessments/handbook.qrels -c {demo}/handbook.doxel"
_TWO = "{demo}/runs/lm-focused.run {demo}/runs/windows-disjoint.run"

BASE = (
    "--version",
    "--help",
    "demo --out {demo}",
    f"evaluate {_SCORED} -m inex2009-focused {_TWO}",
    f"compare {_SCORED} -m MAiP -f table {_TWO} {{demo}}/runs/bm25-focused.xml",
    "measures",
    "measures nxCG",
    f"check {_SCORED} -t {{demo}}/topics.xml {_TWO}",
    "convert {demo}/runs/lm-focused.run {demo}/new.jsonl --to jsonl",
    f"report {_SCORED} -m MAiP -o {{demo}}/report {_TWO}",
    "ingest {demo}/handbook-markdown -o {demo}/markdown.doxel",
    "assess --help",
)


@dataclass(frozen=True)
class Extra:
    """An extra, a command that needs it, and how the command ends with it: exit status and message."""

    name: str
    command: str
    status: int = 0
    message: str = ""
    beside: tuple[str, ...] = ()


EXTRAS = (
    Extra("stats", f"compare {_SCORED} -m MAiP --test wilcoxon {_TWO}"),
    Extra("plots", f"chunks {_SCORED} characters:400 --plot {{demo}}/chunks.svg"),
    Extra("web", "assess user list --database {demo}/a.sqlite", 2, "no database"),
    Extra("postgres", "assess status --database postgresql://nobody@127.0.0.1:1/x", 2, "database", ("web",)),
    Extra(
        "cluster", f"evaluate {_SCORED} -m MAiP --cluster tcp://127.0.0.1:1 {_TWO}", 2, "tcp://127.0.0.1:1"
    ),
    Extra("search", "search -c {demo}/handbook.doxel -t {demo}/topics.xml --task focused -o {demo}/s.xml"),
    Extra("text", "ingest {demo}/handbook-markdown -o {demo}/text.doxel"),
    Extra("pdf", "ingest {demo}/damaged.pdf -o {demo}/pdf.doxel", 1, "cannot be read"),
    Extra("classic", f"evaluate {_SCORED} -m Success@5 {{demo}}/runs/bm25-articles.run"),
    Extra(
        "datasets", "evaluate -a ir_datasets:none -m AP {demo}/runs/bm25-articles.run", 2, "no such data set"
    ),
    Extra("audit", "audit -m char_rec --cases 5 -o {demo}/audit"),
    Extra("zst", "convert {demo}/runs/lm-focused.run {demo}/new.jsonl.zst --to jsonl"),
)
_IN_BASE = {"text"}  # extras whose libraries are installed by a base dependency


class Environment:
    """A virtual environment that contains the wheel, with extras on request."""

    def __init__(self, folder: Path, wheel: Path, extras: tuple[str, ...] = ()) -> None:
        venv.create(folder, with_pip=True, clear=True)
        self._doxel = folder / "bin" / "doxel"
        wanted = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
        run([folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", wanted], folder=folder)

    def call(self, command: str, demo: Path) -> tuple[int, str]:
        """Call doxel; return its exit status and its output."""
        words = [word.format(demo=demo) for word in command.split()]
        done = subprocess.run(
            [self._doxel, *words], cwd=demo.parent, capture_output=True, text=True, check=False
        )
        if "Traceback" in done.stderr:
            raise WheelError(f"doxel {command}:\n{done.stderr}")
        return done.returncode, done.stdout + done.stderr

    def expect(self, command: str, demo: Path, status: int = 0, message: str = "") -> None:
        """Call doxel; raise WheelError unless it ends with this exit status and message."""
        exit_status, words = self.call(command, demo)
        if exit_status != status or message not in words:
            raise WheelError(f"doxel {command}: ended with {exit_status}, not {status}: {words[-2000:]}")


def try_base(wheel: Path, demo: Path) -> str:
    """Without extras, run the commands that need none; check that the others name the missing extra."""
    with tempfile.TemporaryDirectory() as place:
        environment = Environment(Path(place) / "base", wheel)
        for command in BASE:
            environment.expect(command, demo)
        (demo / "damaged.pdf").write_bytes(b"%PDF-1.4\n")
        for extra in EXTRAS:
            if extra.name not in _IN_BASE:
                first = extra.beside[0] if extra.beside else extra.name
                environment.expect(extra.command, demo, 2, f'pip install "doxel[{first}]"')
    return f"without extras: {len(BASE)} commands work, {len(EXTRAS) - len(_IN_BASE)} name their extra"


def try_extra(wheel: Path, demo: Path, extra: Extra) -> str:
    """With one extra alone, run the command that needs it."""
    with tempfile.TemporaryDirectory() as place:
        environment = Environment(Path(place) / extra.name, wheel, (*extra.beside, extra.name))
        environment.expect(extra.command, demo, extra.status, extra.message)
        _, words = environment.call(extra.command, demo)
        if "pip install" in words:
            raise WheelError(f"with {extra.name}, doxel {extra.command} still asks for an extra: {words}")
    return f"with {extra.name} alone: doxel {extra.command.split()[0]} works"


def try_all(wheel: Path, demo: Path) -> str:
    """With all extras, run the command of each."""
    with tempfile.TemporaryDirectory() as place:
        environment = Environment(Path(place) / "all", wheel, ("all",))
        for extra in EXTRAS:
            environment.expect(extra.command, demo, extra.status, extra.message)
    return "with all extras: all commands work"
