"""``doxel search``: answer topics with a baseline run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from doxel.cli.console import print_note, show_progress
from doxel.cli.options import InexOption, SectionedCommand, TaskName, cluster_option, jobs_option
from doxel.runs.run_files import RUN_FORMATS
from doxel.wording import pluralise

if TYPE_CHECKING:
    from doxel.runs import Run
    from doxel.search import SearchIndex, SearchOptions

__all__ = ["command"]

_TASKS = ["thorough", "focused", "relevant-in-context", "best-in-context", "documents"]
_OVERLAPS = ["score", "specificity", "bottom-up"]


@click.command("search", cls=SectionedCommand)
@click.option(
    "-c",
    "--collection",
    required=True,
    metavar="COLLECTION",
    help="The documents to search, made by 'doxel ingest'.",
)
@click.option(
    "-t",
    "--topic-file",
    "topic_files",
    multiple=True,
    required=True,
    metavar="TOPICS",
    help="The topics (queries) to answer: a file or folder.  Repeat to join several.",
)
@click.option(
    "--task",
    required=True,
    type=TaskName(_TASKS),
    help="The kind of results: whole documents (documents); elements without overlap (focused); all relevant "
    "elements, nested ones too (thorough); elements grouped by document (relevant-in-context); or one entry "
    "point per document (best-in-context).",
)
@click.option("-o", "--output", required=True, metavar="RUN", help="The run to write.")
@click.option(
    "--to",
    "--format",
    "layout",
    type=click.Choice([entry.name for entry in RUN_FORMATS if not (entry.campaign or entry.is_read_only)]),
    help="The format of the run; 'doxel convert --help' explains them.  Default: inex-xml; for --task "
    "documents, trec.",
)
@click.option("--run-id", metavar="ID", help="The id of the run.  Default: doxel-TASK.")
@click.option(
    "--query",
    "field",
    cls=InexOption,
    type=click.Choice(["title", "castitle"]),
    help="The field of the topics to search for: title (keywords) or castitle (a query with structure).  "
    "Default: castitle for topics of type CAS (content and structure), else title.",
)
@click.option(
    "--structure",
    cls=InexOption,
    default="target=strict,support=vague",
    show_default=True,
    metavar="target=strict,support=vague",
    help="How to read the structure in queries: the element to return (target) and the elements around it "
    "(support).  strict: only elements that match are returned; vague: matching elements score higher.  "
    "Names of INEX sub-tasks such as SCAS are accepted.",
)
@click.option(
    "--overlap",
    type=click.Choice(_OVERLAPS),
    default="score",
    show_default=True,
    help="Which of two overlapping results to keep, for focused and relevant-in-context.",
)
@click.option(
    "--smallest",
    default=50,
    show_default=True,
    metavar="CHARACTERS",
    help="Minimum size of elements, 1 or more, unless the query names their tag.",
)
@click.option(
    "--size-prior",
    default=-0.3,
    show_default=True,
    metavar="POWER",
    help="Multiply scores by this power, from -2 to 2, of the element's size: 0 has no effect, below 0 "
    "favours small elements.",
)
@click.option(
    "--limit",
    default=1500,
    show_default=True,
    metavar="N",
    help="Maximum number of results per topic, 1 or more.",
)
@click.option(
    "--stem",
    default="english",
    show_default=True,
    metavar="LANGUAGE",
    help="The language for stemming words, such as german, or none.",
)
@click.option(
    "--no-build", is_flag=True, help="Fail if the index is missing or outdated, instead of building it."
)
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

    Queries are keywords or structured queries in NEXI.  The search index is built on first use, is stored in
    the collection's folder, and is built again when the collection has changed.  A topic that cannot be
    searched is reported and left out, and the exit status is 1.

    \b
    doxel search -c wikipedia.doxel -t topics.xml --task focused -o baseline.xml
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.search import SearchOptions, search
    from doxel.topics import read_topics
    from doxel.topics.query_structure import Structure

    options = SearchOptions(
        task=task,
        overlap=overlap,
        field=field,
        structure=Structure.parse(structure),
        smallest=smallest,
        size_prior=size_prior,
        limit=limit,
    )
    topics = read_topics(topic_files)
    index = _open_index(collection, stem, may_build=not no_build, jobs=jobs, cluster=cluster)
    for sentence in (*topics.notes, *index.notes):
        print_note(sentence)
    with show_progress("search", total=len(topics)) as bar:
        outcome = search(
            index,
            topics,
            options,
            run_id=run_id or f"doxel-{task}",
            progress=None if bar is None else (lambda: bar.advance(bar.tasks[0].id)),
        )
    for sentence in outcome.notes:
        print_note(sentence)
    for sentence in outcome.skipped:
        print_note(f"skipped: {sentence}")
    _write_run(outcome.run, output, layout or ("trec" if task == "documents" else "inex-xml"), index, options)
    return 1 if outcome.skipped else 0


def _open_index(collection: str, stem: str, **options: Any) -> SearchIndex:
    from doxel.documents import read_collection
    from doxel.search import open_index

    opened = read_collection(collection)
    total = sum(part.characters for part in opened.manifest.parts)
    with show_progress("index", total=total) as bar:

        def advance(elements: int, characters: int) -> None:
            if bar is not None:
                task = bar.tasks[0]
                elements_read = task.fields.get("elements", 0) + elements
                bar.update(
                    task.id, advance=characters, elements=elements_read, detail=f"{elements_read:,} elements"
                )

        return open_index(opened, stem=stem, progress=advance, **options)


def _write_run(run: Run, output: str, layout: str, index: SearchIndex, options: SearchOptions) -> None:
    from doxel.runs import write_run
    from doxel.runs.run_conversion import convert_run
    from doxel.runs.run_files import find_run_format

    conversion = convert_run(run, find_run_format(layout), index.collection)
    write_run(conversion.thing, output, layout)
    results = pluralise(run.results.height, "result")
    topics = pluralise(run.results["topic"].n_unique(), "topic")
    print_note(f"{results} ({options.task}) for {topics} written to {output}")
