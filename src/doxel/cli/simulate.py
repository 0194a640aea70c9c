"""``doxel simulate``."""

from __future__ import annotations

import click

from doxel.cli.console import note
from doxel.cli.options import assessments_option, one_or_many
from doxel.wording import counted

__all__ = ["command"]

_SYSTEMS = [
    "perfect",
    "document",
    "parent",
    "ancestors",
    "biggest-child",
    "random",
    "reversed-perfect",
    "noisy-perfect",
]


@click.command("simulate")
@click.option("-c", "--collection", required=True, metavar="COLLECTION", help="The documents.")
@assessments_option
@click.option("--system", required=True, type=click.Choice(_SYSTEMS), help="The system to imitate.")
@click.option("-o", "--output", required=True, metavar="RUN", help="The run to write.")
@click.option("--to", "layout", default="paths", show_default=True, metavar="FORMAT", help="Its format.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="For the systems that use chance.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    default=1000,
    show_default=True,
    help="Results of a topic, at most.",
)
def command(
    collection: str,
    assessments: tuple[str, ...],
    system: str,
    output: str,
    layout: str,
    seed: int,
    limit: int,
) -> None:
    """Write the run of a stereotypical system that knows the assessments.

    What a measure says of such systems shows what it rewards: perfect returns the relevant elements,
    document, parent, ancestors and biggest-child what is near them, random anything.

    \b
    doxel simulate -c wikipedia.doxel -a inex.qrels --system perfect -o perfect.run
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    from doxel.assessments import read_assessments
    from doxel.documents import read_collection
    from doxel.runs import write_run
    from doxel.studies import simulate

    run = simulate(
        system,
        read_assessments(one_or_many(assessments)),
        read_collection(collection),
        seed=seed,
        limit=limit,
    )
    write_run(run, output, layout)
    topics = counted(run.results["topic"].n_unique(), "topic")
    note(f"{counted(run.results.height, 'result')} for {topics} written to {output}")
