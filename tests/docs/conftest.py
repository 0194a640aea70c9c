"""Fixtures of the documentation tests; the code that builds the site is in docs."""

import fcntl
import os
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """A function that fills the folder of a name with a function, once: parallel test processes share it."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent

    def made(name, make):
        folder, done = base / name, base / f"{name}.done"
        with (base / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                make(folder)
                done.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def site(made_once):
    """The site."""
    from pagemaker.site import build

    def make(folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # of Sphinx, in its extensions
            build(folder)

    return made_once("site", make) / "html"


@pytest.fixture(scope="session")
def demo_folder(demo_command):
    """The files that ``doxel demo`` writes."""
    return demo_command[1]


@pytest.fixture(scope="session")
def handbook_collection(tmp_path_factory):
    """The handbook, ingested."""
    from importlib.resources import as_file, files

    import doxel

    target = tmp_path_factory.mktemp("handbook") / "handbook.doxel"
    with as_file(files("doxel") / "data" / "handbook") as source:
        doxel.ingest(source, target)
    return doxel.read_collection(target)
