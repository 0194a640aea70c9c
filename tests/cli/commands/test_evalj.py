"""``doxel evalj``: the official configurations of INEX 2006 give the scores of ``doxel evaluate``."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from documents.commands import doxel, is_sentence
from doxel.campaign import write_demo

GOLDEN = Path(__file__).parents[2] / "golden" / "evalj"
SEEDS = Path(__file__).parents[4] / "shared" / "seeds"
FOCUSED = ["-m", "inex2006-focused"]
THOROUGH = ["-m", "inex2006-thorough"]
DISTANCES = ("100", "10", "1", "0.1", "0.01")
BEST = [
    "-m",
    ",".join(
        [f"EPRUM(binary=False, model=bep_distance, A={a})" for a in DISTANCES]
        + [f"BEPD(A={a})" for a in DISTANCES]
    ),
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The bundled campaign, with the folders that the official files name."""
    folder = tmp_path_factory.mktemp("demo")
    campaign = write_demo(folder)
    shutil.copytree(campaign.assessments["inex2006"], folder / "2006_assessmentsv4")
    (folder / "2006_runsv1").mkdir()
    for name in ("bm25-focused.xml", "bm25-elements.xml", "bm25-sections.xml", "windows-disjoint.run"):
        shutil.copy(folder / "runs" / name, folder / "2006_runsv1")
    # one run lacks a topic that was assessed
    text = (folder / "2006_runsv1" / "bm25-sections.xml").read_text()
    begin = text.index("<topic ")
    end = text.index("</topic>") + len("</topic>")
    (folder / "2006_runsv1" / "bm25-sections.xml").write_text(text[:begin] + text[end:])
    return folder


def printed(name: str, folder: Path, to: Path, addition: str = "") -> Path:
    """Write an official file in which only ``$aPath`` is replaced by a folder."""
    file = to / name
    file.write_text((GOLDEN / name).read_text().replace("\\$aPath", str(folder)) + addition)
    return file


def runs_of(folder: Path, configuration: str) -> list[Path]:
    """The runs of the task of an official configuration, and those that declare no task."""
    names = {
        "thorough.prop": ("bm25-elements.xml", "bm25-sections.xml"),
        "focused.prop": ("bm25-focused.xml",),
    }
    return [folder / "2006_runsv1" / name for name in sorted((*names[configuration], "windows-disjoint.run"))]


def evaluated(folder: Path, *options: object, collection: bool = True) -> list[str]:
    collection_options = ["-c", folder / "handbook.doxel"] if collection else []
    outcome = doxel(
        "evaluate", "-f", "tsv", "-a", folder / "2006_assessmentsv4", *collection_options, *options
    )
    assert outcome.status == 0, outcome.messages
    return outcome.out.splitlines()


def lines_in(folder: Path) -> list[str]:
    """All lines of scores in the text files of a folder."""
    return [
        line
        for file in sorted(folder.glob("*.txt"))
        for line in file.read_text().splitlines()
        if line and not line.startswith(("#", "run\t"))
    ]


def test_the_configurations_equal_the_published_ones():
    if not SEEDS.is_dir():
        pytest.skip("the sources beside the project are missing")
    text = next(SEEDS.glob("001*")).read_text()
    assert (GOLDEN / "thorough.prop").read_text() in text
    assert (GOLDEN / "focused.prop").read_text() in text
    unmarked = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("```"))
    assert (GOLDEN / "best-in-context.xml").read_text().strip() in unmarked


@pytest.mark.parametrize("per_topic", [False, True], ids=["means", "topics"])
@pytest.mark.parametrize("all_topics", [False, True], ids=["run", "assessed"])
@pytest.mark.parametrize("collection", [False, True], ids=["listed", "collection"])
@pytest.mark.parametrize(
    ("name", "measures"),
    [("thorough.prop", THOROUGH), ("focused.prop", FOCUSED)],
    ids=["thorough", "focused"],
)
def test_the_official_xcg_files_equal_evaluate_line_for_line(
    demo, tmp_path, name, measures, collection, all_topics, per_topic
):
    config = printed(name, demo, tmp_path)
    collection_options = ["-c", demo / "handbook.doxel"] if collection else []
    flags = ["-e"] * all_topics + ["-q"] * per_topic
    outcome = doxel("evalj", "-config", config, "-o", tmp_path / "out", *collection_options, *flags)
    assert outcome.status == 0, outcome.messages
    options = [*measures, "--topics", "assessed" if all_topics else "run", *["-q"] * per_topic]
    wanted = evaluated(demo, *options, *runs_of(demo, name), collection=collection)
    assert outcome.out.splitlines() == wanted
    assert sorted(lines_in(tmp_path / "out")) == sorted(wanted[1:])


@pytest.mark.parametrize("flags", [[], ["-e"], ["-q"], ["-e", "-q"]], ids=["plain", "e", "q", "eq"])
def test_the_official_file_of_best_in_context_equals_evaluate_line_for_line(demo, tmp_path, flags):
    runs = [demo / "runs" / "bm25-entry.run", demo / "runs" / "article-start.xml"]
    data = ["-a", demo / "2006_assessmentsv4", "-c", demo / "handbook.doxel", "-o", tmp_path]
    outcome = doxel("evalj", "-config", GOLDEN / "best-in-context.xml", *data, *flags, *runs)
    assert outcome.status == 0, outcome.messages
    options = ["--topics", "assessed" if "-e" in flags else "run", *["-q"] * ("-q" in flags)]
    assert outcome.out.splitlines() == evaluated(demo, *BEST, *options, *runs)
    names = {file.name for file in tmp_path.iterdir()}
    assert {f"article-start.eprum-bep-{a}.txt" for a in DISTANCES} <= names
    assert {f"bm25-entry.bepd-{a}.txt" for a in DISTANCES} <= names
    assert len(names) == 20


def test_results_are_written_to_the_configured_folder(demo, tmp_path):
    assert doxel("evalj", "-config", printed("thorough.prop", demo, tmp_path)).status == 0
    names = sorted(file.name for file in (demo / "2006_results").iterdir())
    assert names == ["bm25-elements.epgr.txt", "bm25-sections.epgr.txt", "windows-disjoint.epgr.txt"]


def test_the_task_of_a_property_file_selects_the_runs(demo, tmp_path):
    config = printed("focused.prop", demo, tmp_path)
    outcome = doxel("evalj", "-config", config, "-o", tmp_path / "out")
    assert outcome.status == 0
    assert {line.split("\t")[0] for line in outcome.out.splitlines()[1:]} == {
        "bm25-focused",
        "windows-disjoint",
    }
    assert (
        "doxel: bm25-elements: 1 metric left out because the run's task is thorough [S114]"
        in outcome.messages
    )


def test_a_configuration_whose_task_no_run_has_is_refused(demo, tmp_path):
    config = printed("thorough.prop", demo, tmp_path)
    outcome = doxel("evalj", "-config", config, "-o", tmp_path / "out", demo / "runs" / "bm25-focused.xml")
    assert outcome.status == 2
    assert outcome.messages[-1].endswith(
        "no run is of the configured task: wanted runs of thorough, or runs that declare no task, "
        "found runs of focused"
    )


def test_overlap_on_and_off_are_two_blocks(demo, tmp_path):
    doxel("evalj", "-config", printed("focused.prop", demo, tmp_path), "-o", tmp_path / "out")
    text = (tmp_path / "out" / "bm25-focused.nxCG.txt").read_text()
    blocks = text.split("\n\n")[1:]
    assert [block.splitlines()[0] for block in blocks] == [
        "# overlap on, quantisation gen",
        "# overlap off, quantisation gen",
    ]
    on, off = ([float(line.split("\t")[3]) for line in block.splitlines()[1:]] for block in blocks)
    assert len(on) == len(off) == 4
    assert on != off


def test_e_scores_topics_without_results_zero(demo, tmp_path):
    """The run bm25-sections lacks one topic of 14, one of which has nothing relevant."""
    config = printed("thorough.prop", demo, tmp_path)
    means = {}
    for flags in ([], ["-e"]):
        outcome = doxel("evalj", "-config", config, "-o", tmp_path / "out", *flags)
        means[bool(flags)] = {
            line.split("\t")[0]: float(line.split("\t")[3]) for line in outcome.out.splitlines()[1:]
        }
    assert means[True]["bm25-elements"] == means[False]["bm25-elements"]
    assert means[True]["bm25-sections"] == pytest.approx(means[False]["bm25-sections"] * 12 / 13)


def test_q_prints_the_scores_of_topics(demo, tmp_path):
    config = printed("thorough.prop", demo, tmp_path)
    few = doxel("evalj", "-config", config, "-o", tmp_path / "a").out.splitlines()
    many = doxel("evalj", "-config", config, "-o", tmp_path / "b", "-q").out.splitlines()
    assert len(few) == 1 + 3
    assert len(many) == 1 + 3 + 14 + 14 + 13
    assert set(few) < set(many)
    assert (tmp_path / "b" / "bm25-elements.epgr.txt").read_text().count("\n") > 14


def test_gnu_writes_graphs_that_gnuplot_draws(demo, tmp_path):
    doxel("evalj", "-config", printed("focused.prop", demo, tmp_path), "-o", tmp_path / "out", "-gnu")
    names = sorted(file.name for file in (tmp_path / "out").glob("bm25-focused.*"))
    assert names == ["bm25-focused.nxCG.dat", "bm25-focused.nxCG.gp", "bm25-focused.nxCG.txt"]
    # one line for overlap on, one for off; the graph has the scores of the text
    text = (tmp_path / "out" / "bm25-focused.nxCG.txt").read_text()
    wanted = [line.split("\t")[3] for line in text.splitlines() if "@10\t" in line]
    blocks = (tmp_path / "out" / "bm25-focused.nxCG.dat").read_text().split("\n\n\n")
    drawn = [
        next(row.split()[1] for row in block.splitlines() if row.startswith("10.0 ")) for block in blocks
    ]
    assert [float(value) for value in drawn] == pytest.approx([float(value) for value in wanted])
    program = shutil.which("gnuplot")
    if program is None and os.environ.get("REQUIRE_GNUPLOT"):
        pytest.fail("gnuplot is required but not installed")
    if program is None:
        pytest.skip("gnuplot is not installed")
    done = subprocess.run(
        [program, "bm25-focused.nxCG.gp"], cwd=tmp_path / "out", capture_output=True, check=True
    )
    assert not done.stderr.strip()
    assert (tmp_path / "out" / "bm25-focused.nxCG.gnuplot.svg").stat().st_size > 1000


def test_jfree_writes_png(demo, tmp_path):
    doxel("evalj", "-config", printed("thorough.prop", demo, tmp_path), "-o", tmp_path, "-jfree")
    pictures = sorted(file.name for file in tmp_path.glob("*.png"))
    assert pictures == ["bm25-elements.epgr.png", "bm25-sections.epgr.png", "windows-disjoint.epgr.png"]
    assert (tmp_path / pictures[0]).read_bytes().startswith(b"\x89PNG")
    assert not list(tmp_path.glob("*.gp"))


def test_without_gnu_and_jfree_only_texts_are_written(demo, tmp_path):
    doxel("evalj", "-config", printed("thorough.prop", demo, tmp_path), "-o", tmp_path / "out")
    assert {file.suffix for file in (tmp_path / "out").iterdir()} == {".txt"}


def test_metrics_of_an_xml_file_are_for_runs_of_their_task(demo, tmp_path):
    runs = [demo / "runs" / name for name in ("article-start.xml", "bm25-focused.xml", "bm25-entry.run")]
    data = ["-a", demo / "2006_assessmentsv4", "-c", demo / "handbook.doxel", "-o", tmp_path]
    outcome = doxel("evalj", "-config", GOLDEN / "best-in-context.xml", *data, *runs)
    assert outcome.status == 0
    assert {line.split("\t")[0] for line in outcome.out.splitlines()[1:]} == {"article-start", "bm25-entry"}
    assert (
        "doxel: bm25-focused: 10 metrics left out because the run's task is focused [S114]"
        in outcome.messages
    )


def test_a_configuration_printed_in_two_pieces_is_read(demo, tmp_path):
    text = (
        (GOLDEN / "best-in-context.xml")
        .read_text()
        .replace('<BEPD only="BestInContext" id="bepd-0.1"', "```\n\n\\g", 1)
    )
    config = tmp_path / "marked.xml"
    config.write_text("```\n" + text.replace("\\g", '<BEPD only="BestInContext" id="bepd-0.1"'))
    data = ["-a", demo / "2006_assessmentsv4", "-c", demo / "handbook.doxel", "-o", tmp_path / "out"]
    outcome = doxel("evalj", "-config", config, *data, demo / "runs" / "article-start.xml")
    assert outcome.status == 0, outcome.messages
    assert len(outcome.out.splitlines()) == 11


def test_an_xml_file_needs_options_for_its_data(tmp_path):
    outcome = doxel("evalj", "-config", GOLDEN / "best-in-context.xml", "a.run")
    assert outcome.status == 2
    assert "-o DIR" in outcome.messages[0]
    outcome = doxel("evalj", "-config", GOLDEN / "best-in-context.xml", "-o", tmp_path, "a.run")
    assert "-a ASSESSMENTS" in outcome.messages[0]
    outcome = doxel("evalj", "-config", GOLDEN / "best-in-context.xml", "-o", tmp_path)
    assert "RUN..." in outcome.messages[0]
    assert all(map(is_sentence, outcome.messages))


def test_a_placeholder_left_in_the_file_is_reported():
    outcome = doxel("evalj", "-config", GOLDEN / "thorough.prop")
    assert outcome.status == 2
    assert outcome.messages[0].endswith(
        "a path in which $aPath is replaced by a folder, found '$aPath/2006_assessmentsv4/'"
    )


def test_a_run_that_cannot_be_read_is_skipped_and_the_status_is_1(demo, tmp_path):
    (tmp_path / "bad.run").write_text("this is no run\n")
    config = printed("thorough.prop", demo, tmp_path)
    outcome = doxel(
        "evalj",
        "-config",
        config,
        "-o",
        tmp_path / "out",
        runs_of(demo, "thorough.prop")[0],
        tmp_path / "bad.run",
    )
    assert outcome.status == 1
    assert len(outcome.out.splitlines()) == 2
    assert any("bad.run" in message for message in outcome.messages)


def test_a_run_name_cannot_leave_the_result_folder(demo, tmp_path):
    text = (demo / "runs" / "bm25-elements.xml").read_text()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "x.xml").write_text(
        text.replace('run-id="bm25-elements"', 'run-id="../../etc/=cmd"')
    )
    config = printed("thorough.prop", demo, tmp_path)
    outcome = doxel("evalj", "-config", config, "-o", tmp_path / "out", tmp_path / "runs" / "x.xml")
    assert outcome.status == 0, outcome.messages
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["-..-etc--cmd.epgr.txt"]


@pytest.mark.parametrize(
    ("pattern", "runs"),
    [("/2006_runsv1", 3), ("/2006_runsv1/", 3), ("/2006_runsv1/*", 3), ("/2006_runsv1/bm25*", 2)],
)
def test_runs_may_be_a_folder_or_a_pattern(demo, tmp_path, pattern, runs):
    text = printed("thorough.prop", demo, tmp_path).read_text()
    config = tmp_path / "runs.prop"
    config.write_text(text.replace("/2006\\_runsv1/\\*", pattern))
    outcome = doxel("evalj", "-config", config, "-o", tmp_path / "out")
    assert len(outcome.out.splitlines()) == 1 + runs


def test_a_pattern_without_matches_is_rejected(demo, tmp_path):
    text = printed("thorough.prop", demo, tmp_path).read_text()
    config = tmp_path / "runs.prop"
    config.write_text(text.replace("/2006\\_runsv1/\\*", "/nowhere/*"))
    outcome = doxel("evalj", "-config", config)
    assert outcome.status == 2
    assert "SUBMISSIONRUNS_DIR: wanted runs, found none in" in outcome.messages[0]
