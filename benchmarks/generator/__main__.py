"""``python -m benchmarks.generator``: write collections and campaigns, or count what would be written."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generator.campaign import write_bare_campaign, write_campaign
from benchmarks.generator.collection import PROFILES, documents, write_folders, write_tar
from benchmarks.generator.statistics import of_sources, of_structures


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line."""
    options = _parser().parse_args(arguments)
    if options.what == "collection":
        _collection(options)
    elif options.what == "statistics":
        _statistics(options)
    else:
        _campaign(options)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generator", description=__doc__)
    commands = parser.add_subparsers(dest="what", required=True)
    collection = commands.add_parser("collection", help="XML documents, in folders or in one tar")
    collection.add_argument("--tar", action="store_true", help="one tar instead of folders")
    statistics = commands.add_parser("statistics", help="count elements, tags and paths of a collection")
    statistics.add_argument("--text", action="store_true", help="set the text too, and read it back")
    for command in (collection, statistics):
        command.add_argument("profile", choices=list(PROFILES))
        command.add_argument("--fraction", type=float, default=0.01, help="of the real size; default 0.01")
    campaign = commands.add_parser("campaign", help="topics and runs over a collection made by doxel ingest")
    campaign.add_argument("collection", type=Path)
    fol = commands.add_parser("fol", help="topics and FOL runs without a collection")
    for command in (campaign, fol):
        command.add_argument("--topics", type=int, default=120)
        command.add_argument("--runs", type=int, default=10)
        command.add_argument("--results", type=int, default=1_500)
    for command in (collection, statistics, campaign, fol):
        command.add_argument("--seed", type=int, default=1)
        if command is not statistics:
            command.add_argument("-o", "--output", type=Path, required=True)
    return parser


def _collection(options: argparse.Namespace) -> None:
    profile = PROFILES[options.profile]
    sources = documents(profile, round(options.fraction * profile.documents), seed=options.seed)
    size = (write_tar if options.tar else write_folders)(options.output, sources)
    print(f"{size:,} bytes")


def _statistics(options: argparse.Namespace) -> None:
    profile = PROFILES[options.profile]
    count = round(options.fraction * profile.documents)
    statistics = (
        of_sources(documents(profile, count, seed=options.seed))
        if options.text
        else of_structures(profile, count, seed=options.seed)
    )
    for name, value in dataclasses.asdict(statistics).items():
        print(f"{name:<12}{value:>16,.3f}" if isinstance(value, float) else f"{name:<12}{value:>12,}")


def _campaign(options: argparse.Namespace) -> None:
    topics, runs, results, seed = options.topics, options.runs, options.results, options.seed
    if options.what == "fol":
        write_bare_campaign(options.output, topic_count=topics, runs=runs, results=results, seed=seed)
    else:
        write_campaign(
            options.output, options.collection, topic_count=topics, runs=runs, results=results, seed=seed
        )


if __name__ == "__main__":
    sys.exit(main())
