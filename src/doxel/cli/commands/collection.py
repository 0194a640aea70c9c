"""``doxel collection``: show statistics, outlines and texts."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from doxel.cli.console import print_note, show_table, show_ticks
from doxel.cli.options import SectionedCommand
from doxel.documents import Collection, Document, read_collection
from doxel.documents.manifest import Manifest
from doxel.wording import format_share, pluralise

__all__ = ["command"]


@click.command("collection", cls=SectionedCommand)
@click.argument("collection")
@click.argument("document", required=False, metavar="[DOC")
@click.argument("path", required=False, metavar="[PATH]]")
@click.option(
    "--summary",
    type=click.Choice(["path", "tag"]),
    is_flag=False,
    flag_value="path",
    help="Show the structural summary instead: groups of elements with the same label path (or tag), their "
    "sizes, their weighting matrix if it is small, and steady-state probabilities.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="Read all files instead, compare them with their checksums, and compute the fingerprint from the "
    "texts.  The exit status is 1 if something changed since it was written.",
)
def command(
    collection: str, document: str | None, path: str | None, summary: str | None, *, verify: bool
) -> int:
    """Show the statistics of a collection, the outline of a document, or the text of an element.

    DOC is a document id, or any unambiguous end of its path.  PATH is the path of an element, such as
    /article[1]/body[1]/p[2]; its text is printed exactly as its characters are counted.

    \b
    doxel collection articles.doxel
    doxel collection articles.doxel overlap '/article[1]/body[1]/section[2]'
    doxel collection articles.doxel --verify
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    if verify:
        return _verify(collection)
    opened = read_collection(collection)
    if opened.manifest.parts_without_checksums:
        print_note(f"{collection}: {_describe_old_parts(opened.manifest)}")
    if not opened.manifest.complete:
        print_note(f"{collection}: its ingestion was interrupted; repeat 'doxel ingest' to complete it")
    if summary is not None:
        _show_summary(opened, by_tag=summary == "tag")
    elif document is None:
        _show_statistics(opened)
    elif path is None:
        _show_outline(opened[document])
    else:
        selected = opened[document]
        click.echo(selected.text_of(selected.find(path)), nl=False)
    return 0


def _verify(collection: str) -> int:
    from doxel.documents.manifest import read_manifest
    from doxel.documents.verification import verify_collection
    from doxel.search.search_index import verify_indexes

    manifest = read_manifest(Path(collection))
    with show_ticks("verify", total=len(manifest.parts)) as tick:
        verification = verify_collection(collection, progress=tick)
    problems = [*verification.problems, *verify_indexes(collection)]
    for problem in problems:
        print_note(problem)
    if manifest.parts_without_checksums:
        print_note(f"{collection}: {_describe_old_parts(manifest)}")
    for name in verification.unlisted:
        print_note(f"{collection}: the manifest does not list {name}, which is not part of the collection")
    show_table(
        ["", ""],
        [
            ["documents", f"{verification.documents:,}"],
            ["files", f"{verification.files:,}"],
            ["files with checksums", f"{verification.checked_files:,}"],
            ["fingerprint computed from the texts", verification.fingerprint or "none: texts are damaged"],
            ["fingerprint in the manifest", manifest.fingerprint],
            ["problems", f"{len(problems):,}"],
        ],
        title=collection,
    )
    return 1 if problems else 0


def _describe_old_parts(manifest: Manifest) -> str:
    count = manifest.parts_without_checksums
    parts, pronoun = pluralise(count, "part carries", "parts carry"), "it" if count == 1 else "them"
    return (
        f"{parts} no checksums, because doxel 1.x wrote {pronoun}; "
        "ingest the documents again to add checksums"
    )


def _show_statistics(collection: Collection) -> None:
    documents = collection.documents
    labels, counts = collection.all_labels(), collection.label_counts()
    depth = np.array([path.count("/") for path in labels.paths])
    elements, characters = int(counts.sum()), int(documents["characters"].sum())
    show_table(
        ["", ""],
        [
            ["documents", f"{len(collection):,}"],
            ["megabytes of sources", _format_megabytes(collection.manifest.source_bytes)],
            ["elements", f"{elements:,}"],
            ["elements (nodes) per document", f"{elements / len(collection):,.1f}"],
            ["characters", f"{characters:,}"],
            ["mean document length", f"{characters / len(collection):,.1f} characters"],
            ["mean depth of an element", f"{float(depth @ counts) / elements:.2f}"],
            ["greatest depth", f"{int(depth.max()):,}"],
            ["distinct tags", f"{len(labels.names):,}"],
            ["distinct label paths (nodes in the summary)", f"{len(labels.name):,}"],
            ["links", _format_links(collection.link_counts(), elements)],
            ["document ids from", collection.manifest.ids or "not decided yet"],
            ["text rule", collection.manifest.text_rule],
            ["fingerprint", collection.fingerprint],
        ],
        title=str(collection.folder),
    )
    by_tag = np.bincount(labels.name_ids, weights=counts).astype(int)
    order = np.argsort(-by_tag, kind="stable")
    show_table(
        ["tag", "elements", "share"],
        [[labels.names[tag], int(by_tag[tag]), format_share(by_tag[tag] / elements, 1)] for tag in order],
        title="Tags by frequency",
    )


_SHOWN_LINKS = 5  # tags of links to list


def _format_megabytes(size: int | None) -> str:
    return "unknown: the collection was made by doxel 1.0" if size is None else f"{size / 1e6:,.1f}"


def _format_links(counts: dict[str, int], elements: int) -> str:
    """Return the number of links, their share of the elements, and their most frequent tags."""
    total = sum(counts.values())
    if not total:
        return "0"
    tags = [f"{tag} {count:,}" for tag, count in counts.items()]
    others = (
        [f"{len(tags) - _SHOWN_LINKS} more tags"] if len(tags) > _SHOWN_LINKS + 1 else tags[_SHOWN_LINKS:]
    )
    share = format_share(total / elements, 1)
    return f"{total:,} ({share} of the elements): {', '.join([*tags[:_SHOWN_LINKS], *others])}"


_SMALL = 12  # groups whose matrix fits on a screen


def _show_summary(collection: Collection, *, by_tag: bool) -> None:
    groups = collection.summary(by_tag=by_tag)
    show_table(
        ["group", "elements", "relatives", "steady state"],
        [[row["group"], row["elements"], row["relatives"], row["steady"]] for row in groups.to_dicts()],
        title=f"Structural summary of {collection.folder} by {'tag' if by_tag else 'label path'}",
    )
    if groups.height > _SMALL:
        print_note(f"the weighting matrix is not shown: it has {groups.height:,} groups, more than {_SMALL}")
        return
    matrix = collection.weighting_matrix(by_tag=by_tag)
    header = ["group", *(str(number) for number in range(1, groups.height + 1)), "total"]
    rows = [
        [f"{number} {group}", *map(int, line), int(line.sum())]
        for number, (group, line) in enumerate(zip(groups["group"], matrix, strict=True), 1)
    ]
    show_table(header, rows, title="Weighting matrix: pairs of elements that are equal or nested")


def _show_outline(document: Document) -> None:
    forest = document.forest
    rows = [
        ["  " * (int(depth) - 1) + path, int(start), int(end), int(end - start)]
        for path, depth, start, end in zip(
            forest.paths(), forest.depth, forest.start, forest.end, strict=True
        )
    ]
    show_table(["element", "start", "end", "size"], rows, title=f"{document.id} ({document.source})")
