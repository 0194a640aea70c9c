"""``doxel simulate``: write the run of a simulated system."""

from __future__ import annotations

import click

from doxel.cli.console import print_note
from doxel.cli.options import SectionedCommand, assessments_option
from doxel.errors import InputError
from doxel.wording import pluralise

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


@click.command("simulate", cls=SectionedCommand)
@click.option(
    "-c", "--collection", required=True, metavar="COLLECTION", help="The documents, made by 'doxel ingest'."
)
@assessments_option
@click.option("--system", required=True, type=click.Choice(_SYSTEMS), help="The system to simulate.")
@click.option("-o", "--output", required=True, metavar="RUN", help="The run to write.")
@click.option(
    "--to",
    "layout",
    default="paths",
    show_default=True,
    metavar="FORMAT",
    help="The format of the run; 'doxel convert --help' lists them.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of the systems that use chance.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    default=1000,
    show_default=True,
    help="Maximum number of results per topic.",
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
    """Write the run of a simulated system that knows the assessments.

    The scores of such systems show what a measure rewards.  perfect returns the relevant elements; document,
    parent, ancestors and biggest-child return elements near them; random returns any elements;
    reversed-perfect and noisy-perfect return the relevant ones in a worse order.

    \b
    doxel simulate -c wikipedia.doxel -a inex.qrels --system perfect -o perfect.run
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.assessments import read_assessments
    from doxel.documents import read_collection
    from doxel.files import write_file
    from doxel.runs.run_files import find_run_format
    from doxel.studies import simulate_system

    run = simulate_system(
        system,
        read_assessments(assessments),
        read_collection(collection),
        seed=seed,
        limit=limit,
    )
    if not run.results.height:
        raise InputError(
            "there is nothing to retrieve",
            wanted="assessments of documents in the collection (-c) with relevant text",
            found="none",
        )
    run_format = find_run_format(layout)
    write_file(output, run_format.write(run))
    for loss in run_format.losses({"results": run.results}):
        print_note(f"left out, because {layout} cannot represent it: {loss}")
    topics = pluralise(run.results["topic"].n_unique(), "topic")
    print_note(f"{pluralise(run.results.height, 'result')} for {topics} written to {output}")
