"""``doxel demo``."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import click

from doxel.cli.console import note

__all__ = ["command"]


@click.command("demo")
@click.option(
    "--out", default="doxel-demo", metavar="DIR", help="Where to leave the files.  Default: doxel-demo."
)
def command(out: str) -> None:
    """Run a small bundled case from files to scores, and leave the files to play with."""
    from doxel.assessments import read_assessments
    from doxel.cli.evaluate import show
    from doxel.documents import read_collection
    from doxel.documents.ingest import ingest
    from doxel.evaluation import evaluate
    from doxel.runs import read_run

    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with as_file(files("doxel") / "data") as data:
        shutil.copytree(data / "handbook", folder / "handbook", dirs_exist_ok=True)
        for name in ("qrels.txt", "focused.run"):
            shutil.copy(data / "tiny" / name, folder / name)
    note(f"ingest: doxel ingest {out}/handbook -o {out}/handbook.doxel")
    ingest([str(folder / "handbook")], str(folder / "handbook.doxel"))
    collection = read_collection(folder / "handbook.doxel")
    note(f"  {len(collection)} documents, {collection.label_counts().sum():,} elements")
    note(f"evaluate: doxel evaluate -a {out}/qrels.txt {out}/focused.run")
    result = evaluate(
        [read_run(folder / "focused.run")],
        read_assessments(folder / "qrels.txt"),
        ["iP@0,0.01,0.05,0.10", "MAiP"],
    )
    show(result, "table", per_topic=True)
