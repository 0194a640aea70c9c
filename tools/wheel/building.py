"""Build wheel and source distribution from the committed files alone."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["ROOT", "Built", "WheelError", "build", "run"]

ROOT = Path(__file__).resolve().parents[2]


class WheelError(Exception):
    """A wheel or source distribution is wrong."""


class Built:
    """A wheel and a source distribution."""

    def __init__(self, wheel: Path, sdist: Path, sources: Path) -> None:
        self.wheel, self.sdist, self.sources = wheel, sdist, sources

    @property
    def in_wheel(self) -> set[str]:
        """The names of the files in the wheel."""
        with zipfile.ZipFile(self.wheel) as archive:
            return set(archive.namelist())

    @property
    def in_sdist(self) -> set[str]:
        """The names of the files in the source distribution, below its own folder."""
        with tarfile.open(self.sdist) as archive:
            return {name.partition("/")[2] for name in archive.getnames()}


def run(command: Sequence[str | Path], *, folder: Path) -> str:
    """Run a command that must succeed, and return what it printed."""
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise WheelError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def build(folder: Path) -> Built:
    """Build both in a folder, in an environment of their own, as an installation from the sources does."""
    sources, out, tools = folder / "sources", folder / "dist", folder / "tools"
    sources.mkdir()
    run(["git", "archive", "--output", folder / "sources.tar", "HEAD"], folder=ROOT)
    with tarfile.open(folder / "sources.tar") as archive:
        archive.extractall(sources, filter="data")
    run([sys.executable, "-m", "venv", tools], folder=folder)
    run([tools / "bin" / "pip", "install", "-q", "hatchling"], folder=folder)
    # the wheel is made from the source distribution: what is missing there is missing in it
    run([tools / "bin" / "python", "-m", "hatchling", "build", "-t", "sdist", "-d", out], folder=sources)
    (sdist,) = out.glob("*.tar.gz")
    run([tools / "bin" / "pip", "wheel", "-q", "--no-deps", "-w", out, sdist], folder=folder)
    (wheel,) = out.glob("*.whl")
    return Built(wheel, sdist, sources)
