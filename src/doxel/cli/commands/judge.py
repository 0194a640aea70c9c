"""``doxel judge``: judge the results of runs by hand, alone."""

from __future__ import annotations

import contextlib
import signal
import tempfile
import webbrowser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxel.cli.assess_options import needs_web
from doxel.cli.console import print_note
from doxel.cli.options import SectionedCommand
from doxel.errors import InputError
from doxel.files import write_file
from doxel.wording import join_words, pluralise

if TYPE_CHECKING:
    from doxel.assess.single_judge import GoldFile
    from doxel.pooling import Pool
    from doxel.topics import Topics

__all__ = ["command"]

_HOURS = 720.0  # of a session: it ends with the command


@click.command("judge", cls=SectionedCommand)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-c", "--collection", required=True, metavar="COLLECTION", help="The documents, made by 'doxel ingest'."
)
@click.option(
    "-t",
    "--topic-file",
    "topic_files",
    required=True,
    multiple=True,
    metavar="QUESTIONS",
    help='The questions, such as JSON lines {"id": ..., "text": ...}; can be repeated.',
)
@click.option(
    "-o", "--output", required=True, metavar="GOLD", help="The gold file to write or to continue (.jsonl)."
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Judge the first N results of each run per question.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    metavar="N",
    help="The port on this machine.  Default: any free port.",
)
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening a browser.")
@needs_web
def command(
    *,
    runs: tuple[str, ...],
    collection: str,
    topic_files: tuple[str, ...],
    output: str,
    depth: int,
    port: int,
    no_browser: bool,
) -> None:
    """Judge the results of runs by hand, alone, and write gold passages.

    A browser opens with the first question and the passages that the runs retrieved, underlined in their
    documents.  Highlight the relevant text; it is in the gold file a moment later.  Mark a document without
    relevant text as done.  Stop with Ctrl+C, and repeat the command to continue: the working file
    GOLD.judging keeps all judgements.

    Only this machine can connect, and only with the address that is printed or opened: it contains a token
    that is valid once.

    Several people can judge the same questions, each into a file of their own: the last two examples compare
    two files and score a run with both.

    \b
    doxel judge -c handbook.doxel -t questions.jsonl -o gold.jsonl bm25.jsonl dense.jsonl
    doxel assess agreement -c handbook.doxel anna.jsonl ben.jsonl
    doxel evaluate -a anna.jsonl --assessor ben.jsonl -m char_rec@5 bm25.jsonl
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.assess.assessment_setup import AssessmentSetup
    from doxel.assess.single_judge import (
        OPENING_PATH,
        GoldFile,
        build_token_endpoint,
        find_working_file,
        prepare_judging,
    )
    from doxel.assess.store.invitations import OneTimeToken
    from doxel.assess.web.server import ServerAddress, open_service, serve
    from doxel.assess.web.service import ServerSettings
    from doxel.topics import read_topics

    gold_path = Path(output)
    working = find_working_file(gold_path)
    setup = AssessmentSetup(str(working), collection=Path(collection))
    library, topics = setup.library(), read_topics(list(topic_files))
    pool = _pool_results(runs, topics, collection, depth)
    token = OneTimeToken()
    with setup.store() as store:
        user = prepare_judging(store, library, pool)
        gold = GoldFile(gold_path, store, library)
        settings = ServerSettings(
            session_hours=_HOURS, scale="passages", shows_parts=True, program="doxel judge"
        )
        with (
            gold.keep_current(print_note),
            open_service(store, library, topics, settings) as service,
            _Opening(is_wanted=not no_browser) as opening,
            _end_gently(),
        ):
            endpoint = build_token_endpoint(token, user)
            path = f"{OPENING_PATH}/{token.text}"
            address = ServerAddress(port=port)
            serve(service, address, lambda bound: opening.show(f"http://127.0.0.1:{bound}{path}"), [endpoint])
        _describe_gold(gold)


def _pool_results(runs: tuple[str, ...], topics: Topics, collection: str, depth: int) -> Pool:
    from doxel.adapters.name_matching import KnownNames, match_topics
    from doxel.pooling.pool_making import pool as make_pool
    from doxel.runs import read_runs

    ids = [topic.id for topic in topics]
    questions = {topic.id: text for topic in topics if (text := topic.title or topic.query)}
    names = KnownNames(topics=ids, questions=questions)
    matched = [replace(run, results=match_topics(run.results, names, run.id)) for run in read_runs(runs)]
    pool = make_pool(
        matched, depth=depth, count="results", collection=collection, topics=ids, judging="pooled"
    )
    for sentence in pool.notes:
        print_note(sentence)
    if not pool.documents.height:
        raise InputError("nothing to judge", wanted="results for the questions", found="none in the runs")
    topics_without_results = [topic for topic in ids if topic not in set(pool.documents["topic"])]
    if topics_without_results:
        print_note(f"questions without results: {join_words(topics_without_results)}")
    passages, documents = pool.parts.height, pool.documents["doc"].n_unique()
    print_note(
        f"{pluralise(passages, 'passage')} of {pluralise(documents, 'document')} to judge "
        f"for {pluralise(len(ids) - len(topics_without_results), 'question')}"
    )
    return pool


def _describe_gold(gold: GoldFile) -> None:
    judgements = gold.collect()
    print_note(
        f"{gold.path}: {pluralise(judgements.highlights.height, 'passage')} in "
        f"{pluralise(judgements.judged['doc'].n_unique(), 'judged document')}"
        if judgements.judged.height
        else "nothing was judged; no gold file was written"
    )


@contextlib.contextmanager
def _end_gently() -> Iterator[None]:
    """Treat SIGTERM like Ctrl+C, so that the gold file is written at the end in both cases."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


class _Opening(contextlib.AbstractContextManager["_Opening"]):
    """Opens the browser.

    The address is passed in a private file: other users of the machine can see the arguments of programs.
    """

    def __init__(self, *, is_wanted: bool) -> None:
        self._is_wanted = is_wanted
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def show(self, address: str) -> None:
        """Open or print the address."""
        if self._is_wanted:
            self._folder = tempfile.TemporaryDirectory(prefix="doxel-judge-")  # readable by its owner only
            page = Path(self._folder.name) / "open.html"
            write_file(page, f'<meta http-equiv="refresh" content="0;url={address}">'.encode())
            if webbrowser.open(page.as_uri()):
                print_note("judging in the browser; stop with Ctrl+C")
                return
        print_note(f"judge at {address} (valid once; stop with Ctrl+C)")

    def __exit__(self, *error: object) -> None:
        """Remove the file."""
        if self._folder is not None:
            self._folder.cleanup()
