"""Every command and every script in README and docs is run, and prints the output on the page."""

import shlex
import shutil

import click
import pytest
from lxml import etree
from pagemaker.examples import LANGUAGES, ROOT, Example, examples, matches, place_file
from pagemaker.fences import Fence, fences
from pagemaker.site import sources

import doxel
from doxel.cli.main import cli

PAGES = [ROOT / "README.md", *sources().values()]


def languages(page):
    return {fence.language for fence in fences(page.read_text("utf-8"))}


WITH_EXAMPLES = [page for page in PAGES if languages(page) & {"console", "python"}]


READ_FIRST = {"README.md", "docs/quickstart.md", "docs/tutorial.md"}


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    "page",
    [
        page if name_of(page) in READ_FIRST else pytest.param(page, marks=pytest.mark.integration)
        for page in WITH_EXAMPLES
    ],
    ids=name_of,
)
def test_examples_print_the_output_on_the_page(page, demo_folder, tmp_path):
    shutil.copytree(demo_folder, tmp_path / "doxel-demo")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for example in examples(page.read_text("utf-8")):
        if isinstance(example, Fence):
            place_file(example, tmp_path)
            continue
        status, printed = example.run(tmp_path)
        assert status == example.status, f"{example.code}\n{printed}"
        if example.shown:
            assert matches(example.shown, printed), (
                f"{example.code}\nprints\n{printed}\nwhere {name_of(page)} shows\n{example.shown}\n"
                "(docs/build.py --examples refreshes the page)"
            )


def test_the_pages_that_promise_examples_have_them():
    assert {"README.md", "docs/tutorial.md", "docs/formats.md", "CONTRIBUTING.md"} <= {
        *map(name_of, WITH_EXAMPLES)
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_in_a_language_that_is_run_or_only_shown(page):
    assert languages(page) <= LANGUAGES


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_console_block_shows_commands_after_a_prompt(page):
    for fence in fences(page.read_text("utf-8")):
        if fence.language == "console":
            assert fence.content.startswith("$ "), fence.content


def list_shown_commands(page):
    """Return the words of the commands of doxel in blocks that are only shown, such as those of servers."""
    lines = [
        line.strip().removeprefix("- run: ").removeprefix("$ ")
        for fence in fences(page.read_text("utf-8"))
        if fence.language in {"text", "yaml"} and "file" not in fence.settings
        for line in fence.content.replace("\\\n", " ").splitlines()
    ]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("doxel ")]


@pytest.mark.parametrize("page", [page for page in PAGES if list_shown_commands(page)], ids=name_of)
def test_the_commands_that_are_only_shown_have_the_options_that_they_use(page):
    for words in list_shown_commands(page):
        command, context, rest = cli, click.Context(cli), list(words)
        while isinstance(command, click.Group) and rest and rest[0][0] not in "-[":
            command = command.get_command(context, rest.pop(0))
            assert command is not None, words
        spellings = (name for option in command.params for name in (*option.opts, *option.secondary_opts))
        used = {word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"}
        assert used <= {"-h", *spellings}, words


def test_the_readme_is_short_and_ends_with_the_two_commands():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 130
    typed = [example.code for example in examples(text) if isinstance(example, Example)]
    assert typed[-2:] == ["make demo", "make test"]


def test_the_picture_of_three_chunkings_shows_the_scores_that_doxel_computes():
    picture = etree.parse(ROOT / "docs/chunkings.svg")
    text = "{http://www.w3.org/2000/svg}text"

    def read_spans(attribute):
        for group in picture.iterfind(f".//*[@{attribute}]"):
            spans = [tuple(map(int, span.split("-"))) for span in group.get(attribute).split()]
            yield spans, [cell.text for cell in group.iter(text)][1:]

    ((gold, _),) = read_spans("data-gold")
    rows = list(read_spans("data-results"))
    assert len(rows) == 3
    for spans, output in rows:
        result = doxel.evaluate(
            [("1", "a", *span) for span in spans], [("1", "a", *gold[0])], "hit@2, char_rec@2, char_prec@2"
        )
        assert [f"{score:.2f}" for score in result.means["score"]] == output


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("a\n", "a\nb\n", False),
        ("a\n...\n", "a\nb\nc\n", True),
        ("...\nb\n", "a\n", False),
        ("in ... s\n", "in 0.1 s\n", True),
        ("in ... s\n", "in 0.1 m\n", False),
        ("a  \n\nb\n", "\na\nb\n", True),
        ("a.b\n", "axb\n", False),
    ],
)
def test_what_matches(shown, printed, expected):
    assert matches(shown, printed) is expected


def test_a_wrong_output_is_noticed(tmp_path):
    page = "```console\n$ echo one\ntwo\n```\n"
    (example,) = examples(page)
    status, printed = example.run(tmp_path)
    assert (status, printed.strip()) == (0, "one")
    assert not matches(example.shown, printed)


def test_a_command_has_a_terminal_as_a_reader_has(tmp_path):
    (example,) = examples("```console\n$ test -t 1 && test -t 2  # exit status 0\n```\n")
    assert example.run(tmp_path) == (0, "")


def test_a_block_in_a_language_that_nobody_runs_is_refused():
    with pytest.raises(ValueError, match="'perl'"):
        list(examples("```perl\nexit\n```\n"))
