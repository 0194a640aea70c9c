"""The tests of the documentation use what makes it, which lives beside it."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """All pages, built once."""
    from pagemaker.site import build

    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    """What ``doxel demo`` leaves behind."""
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
