"""``doxel search``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import note, progress_bar
from doxel.cli.options import TaskName, cluster_option, jobs_option, one_or_many
from doxel.runs.formats import FORMATS

if TYPE_CHECKING:
    from doxel.runs import Run
    from doxel.search import Options, SearchIndex

__all__ = ["command"]

_TASKS = ["thorough", "focused", "relevant-in-context", "best-in-context", "documents"]
_OVERLAPS = ["score", "specificity", "bottom-up"]


@click.command("search")
@click.option("-c", "--collection", required=True, metavar="COLLECTION", help="The documents to search.")
@click.option(
    "-t",
    "--topic-file",
    "topic_files",
    multiple=True,
    required=True,
    metavar="TOPICS",
    help="The topics to answer: a file or folder; repeat to join several.",
)
@click.option("--task", required=True, type=TaskName(_TASKS), help="What to return.")
@click.option("-o", "--output", required=True, metavar="RUN", help="The run to write.")
@click.option(
    "--to",
    "--format",
    "layout",
    type=click.Choice([one.name for one in FORMATS]),
    help="Its format.  Default: inex-xml, for documents trec.",
)
@click.option("--run-id", metavar="ID", help="The run's id.  Default: doxel- and the task.")
@click.option(
    "--query",
    "field",
    type=click.Choice(["title", "castitle"]),
    help="The part of topics to search for.  Default: castitle for topics of the kind CAS, else title.",
)
@click.option(
    "--structure",
    default="target=strict,support=vague",
    show_default=True,
    metavar="target=strict,support=vague",
    help="How the structure of queries is taken; a sub-task such as SCAS will do as well.",
)
@click.option(
    "--overlap",
    type=click.Choice(_OVERLAPS),
    default="score",
    show_default=True,
    help="How overlap is removed, for focused and relevant-in-context.",
)
@click.option(
    "--smallest",
    default=50,
    show_default=True,
    metavar="CHARACTERS",
    help="The smallest size of elements that a query does not name.",
)
@click.option(
    "--size-prior",
    default=-0.3,
    show_default=True,
    metavar="POWER",
    help="Scores are multiplied by this power of an element's size: 0 not at all, below 0 for small ones.",
)
@click.option("--limit", default=1500, show_default=True, metavar="N", help="Results of a topic, at most.")
@click.option(
    "--stem", default="english", show_default=True, metavar="LANGUAGE", help="The language of words, or none."
)
@click.option("--no-build", is_flag=True, help="Fail rather than build an index that is missing or outdated.")
@jobs_option
@cluster_option
def command(
    *,
    collection: str,
    topic_files: tuple[str, ...],
    task: str,
    output: str,
    layout: str | None,
    run_id: str | None,
    field: str | None,
    structure: str,
    overlap: str,
    smallest: int,
    size_prior: float,
    limit: int,
    stem: str,
    no_build: bool,
    jobs: int | None,
    cluster: str | None,
) -> int:
    """Answer topics with a baseline run: elements ranked by BM25.

    Titles and queries with structure (NEXI) are understood.  The index that this takes is built when it
    is first needed, by --jobs or on a --cluster, lies in the collection's folder, and is built again when
    the collection has changed.
    A topic that cannot be searched for is reported and left out, and the exit status is then 1.

    \b
    doxel search -c wikipedia.doxel -t topics.xml --task focused -o baseline.xml
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    from doxel.search import Options, search
    from doxel.topics import read_topics
    from doxel.topics.structure import Structure

    options = Options(
        task=task,
        overlap=overlap,
        field=field,
        structure=Structure.parse(structure),
        smallest=smallest,
        size_prior=size_prior,
        limit=limit,
    )
    topics = read_topics(one_or_many(topic_files))
    index = _open(collection, stem, may_build=not no_build, jobs=jobs, cluster=cluster)
    for sentence in (*topics.notes, *index.notes):
        note(sentence)
    with progress_bar("search", total=len(topics)) as bar:
        found = search(
            index,
            topics,
            options,
            run_id=run_id or f"doxel-{task}",
            progress=None if bar is None else (lambda: bar.advance(bar.tasks[0].id)),
        )
    for sentence in found.notes:
        note(sentence)
    for sentence in found.skipped:
        note(f"left out: {sentence}")
    _write(found.run, output, layout or ("trec" if task == "documents" else "inex-xml"), index, options)
    return 1 if found.skipped else 0


def _open(collection: str, stem: str, **options: Any) -> SearchIndex:
    from doxel.documents import read_collection
    from doxel.search import open_index

    opened = read_collection(collection)
    total = sum(part.characters for part in opened.manifest.parts)
    with progress_bar("index", total=total) as bar:

        def advance(elements: int, characters: int) -> None:
            if bar is not None:
                task = bar.tasks[0]
                done = task.fields.get("elements", 0) + elements
                bar.update(task.id, advance=characters, elements=done, detail=f"{done:,} elements")

        return open_index(opened, stem=stem, progress=advance, **options)


def _write(run: Run, output: str, layout: str, index: SearchIndex, options: Options) -> None:
    from doxel.runs import write_run
    from doxel.runs.converting import convert_run
    from doxel.runs.formats import format_named

    ready = convert_run(run, format_named(layout), index.collection)
    write_run(ready.thing, output, layout)
    topics = run.results["topic"].n_unique()
    note(f"{run.results.height:,} results ({options.task}) for {topics:,} topics written to {output}")
