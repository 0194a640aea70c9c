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
def site(tmp_path_factory):
    """The site, built once; parallel test processes share it."""
    from pagemaker.site import build

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "site" / "done"
        if not done.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PendingDeprecationWarning)  # of Sphinx, in its extensions
                build(folder / "site")
            done.touch()
    return folder / "site" / "html"


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    """The files that ``doxel demo`` writes."""
    from pagemaker.examples import make_demo

    return make_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def handbook_collection(tmp_path_factory):
    """The handbook, ingested."""
    from importlib.resources import as_file, files

    import doxel

    target = tmp_path_factory.mktemp("handbook") / "handbook.doxel"
    with as_file(files("doxel") / "data" / "handbook") as source:
        doxel.ingest(source, target)
    return doxel.read_collection(target)
