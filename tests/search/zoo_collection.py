"""A small collection: two books about animals, one about stones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from doxel.documents.ingestion import ingest

__all__ = ["ZOO", "make_collection"]

ZOO = {
    "birds.xml": (
        '<book year="1999"><title>Birds</title><year>1999</year>'
        '<sec kind="water"><st>Ducks</st><p>A duck swims. The duck dives in the pond every morning.</p>'
        "<p>Old ponds hold fish, frogs and a heron that waits for them.</p></sec>"
        '<sec kind="air"><st>Swifts</st><p>The common swift sleeps in the air and drinks rain.</p></sec>'
        "</book>"
    ),
    "fish.xml": (
        '<book year="2005"><title>Fish</title><year>2005</year>'
        '<sec kind="water"><st>Pike</st><p>A pike waits among reeds; it eats a duck now and then.</p>'
        "<p>In a pond the pike is king, and the water is H<sub>2</sub>O as elsewhere.</p></sec>"
        "<sec><st>Carp</st><p>Carp dig in the mud of the pond. Carp grow old.</p></sec>"
        "</book>"
    ),
    "stones.xml": (
        "<book><title>Stones</title><year>about 2010</year>"
        "<sec><st>Flint</st><p>Flint was cut into blades, and strikes fire when hit with iron.</p></sec>"
        "</book>"
    ),
}


def make_collection(folder: Path, files: Mapping[str, str] = ZOO, name: str = "zoo") -> Path:
    """Make or extend a collection from file names and contents."""
    source = folder / f"{name}-source"
    source.mkdir(exist_ok=True)
    for file, content in files.items():
        (source / file).write_text(content, "utf-8")
    ingest(str(source), str(folder / f"{name}.doxel"), jobs=1)
    return folder / f"{name}.doxel"
