"""``doxel check``: tables, JSON, exit statuses, and files that are not runs, topics or assessments."""

import json
import subprocess
import sys

import pytest

from checks.cases import CASES, OTHER_FINGERPRINT, QRELS, SOUND, SOURCES, xml_run
from documents.commands import change_manifest, doxel, doxel_process, is_sentence, write_files
from doxel.checks.check_declaration import MOST_PLACES
from doxel.checks.check_table import CHECKS
from doxel.checks.score_checks import SCORE_CHECKS
from doxel.documents.ingestion import ingest
from random_share import LONG_LINE

FOL = "1 Q0 a 1 0.9 r 0 5\n"
TOPICS = "1\ttrees\n"


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("sources"), SOURCES)
    ingest([str(folder)], str(folder / "c.doxel"))
    return folder / "c.doxel"


@pytest.fixture
def files(tmp_path):
    return write_files(tmp_path, {"a.xml": SOUND, "q": QRELS, "t.tsv": TOPICS})


def checked(folder, name, content, *options):
    """Check a run with some content; return the status and the findings as JSON."""
    write_files(folder, {name: content})
    outcome = doxel("check", "-f", "json", *options, folder / name)
    assert all(map(is_sentence, outcome.messages))
    return outcome.status, json.loads(outcome.out)["findings"]


def test_valid_files_give_status_0_and_a_summary_of_the_run(files, collection):
    outcome = doxel("check", "-c", collection, "-t", files / "t.tsv", "-a", files / "q", files / "a.xml")
    assert outcome.status == 0
    assert outcome.messages == ["doxel: 0 errors, 0 warnings, 0 notes"]
    assert outcome.out.split()[:7] == ["run", "file", "format", "task", "topics", "results", "overlapping"]
    assert outcome.out.split()[-7:] == ["r", str(files / "a.xml"), "inex-xml", "thorough", "1", "2", "0.0%"]


@pytest.mark.parametrize("code", CASES)
def test_the_status_is_1_exactly_if_there_are_errors(code, laid_out_arguments):
    outcome = doxel("check", *laid_out_arguments(CASES[code]))
    severity = next(check.severity for check in CHECKS if check.code == code)
    assert outcome.status == (1 if severity == "error" else 0)
    table = [line.split() for line in outcome.out.splitlines()]
    assert [line[1] for line in table if line[:1] == [code]] == [severity] * (2 if code == "R501" else 1)


@pytest.fixture
def laid_out_arguments(tmp_path, collection):
    def write(case):
        sources = [("-a", case.assessments), ("-t", case.topics), (None, case.runs)]
        arguments = ["--task", case.task] if case.task else []
        arguments += ["--structure", case.structure] if case.structure else []
        if case.collection:
            arguments += ["-c", incomplete(tmp_path, collection) if case.about else collection]
        for option, texts in sources:
            for name, text in texts.items():
                folder = write_files(tmp_path / str(option), {name: text})
                arguments += [folder / name] if option is None else [option, folder / name]
        return arguments

    return write


def incomplete(folder, collection):
    import shutil

    copied = shutil.copytree(collection, folder / "c.doxel")
    change_manifest(copied, lambda data: data.update(complete=False))
    return copied


def test_many_equal_findings_are_one_line(tmp_path):
    text = xml_run("Focused", *(("1", "a", (0, 5), rank, 1 / rank) for rank in range(1, 41)))
    write_files(tmp_path, {"a.xml": text})
    outcome = doxel("check", tmp_path / "a.xml")
    (line,) = [line for line in outcome.out.splitlines() if "R302" in line]
    place = f"{tmp_path / 'a.xml'}: lines 3, 4, 5, 6, 7, ..."
    first = "topic 1, document a: rank 2 is the same as rank 1"
    assert " ".join(line.split()) == f"R302 warning 39 repeated result {place} {first}"


def test_json_contains_counts_places_runs_and_versions(tmp_path):
    many = MOST_PLACES + 7
    text = xml_run("Focused", *(("1", "a", (0, 5), rank, 1 / rank) for rank in range(1, many + 1)))
    write_files(tmp_path, {"a.xml": text})
    outcome = doxel("check", "-f", "json", tmp_path / "a.xml")
    report = json.loads(outcome.out)
    assert set(report) == {"findings", "places_cap", "counts", "runs", "notes", "versions"}
    assert report["places_cap"] == MOST_PLACES
    assert report["counts"] == {"error": many, "warning": many - 1, "note": 0}
    assert [set(finding) for finding in report["findings"]] == [
        {"code", "severity", "title", "file", "count", "places"}
    ] * 2
    overlap = report["findings"][0]
    assert (overlap["code"], overlap["severity"], overlap["count"]) == ("R202", "error", many)
    assert len(overlap["places"]) == MOST_PLACES
    assert overlap["places"][0] == {
        "line": 2,
        "topic": "1",
        "doc": "a",
        "message": "rank 1 overlaps rank 2 (line 3)",
    }
    assert report["runs"] == [
        {
            "id": "r",
            "file": str(tmp_path / "a.xml"),
            "format": "inex-xml",
            "task": "focused",
            "topics": 1,
            "results": many,
            "overlap": 1.0,
        }
    ]


def test_codes_are_explained_without_a_check():
    outcome = doxel("check", "--codes")
    assert outcome.status == 0
    for check in (*CHECKS, *SCORE_CHECKS):
        assert f"{check.explanation}  {check.mend}" in outcome.out
    listed = json.loads(doxel("check", "--codes", "-f", "json").out)["codes"]
    assert [(entry["code"], entry["effect"]) for entry in listed] == [
        (check.code, check.effect) for check in (*CHECKS, *SCORE_CHECKS)
    ]


def test_topics_and_assessments_can_be_checked_without_runs(files):
    outcome = doxel("check", "-t", files / "t.tsv", "-a", files / "q")
    assert (outcome.status, outcome.out) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Nothing to check"),
        (["nowhere.run"], "nowhere.run: cannot be read: no such file or directory"),
        (["-a", "nowhere", "a.xml"], "nowhere: cannot be read"),
        (["-t", "nowhere", "a.xml"], "nowhere: cannot be read"),
        (["-c", "nowhere", "a.xml"], "nowhere: does not exist"),
        (["-f", "xml", "a.xml"], "Invalid value for '-f'"),
        (["--task", "Nearest", "a.xml"], "Invalid value for '--task'"),
    ],
)
def test_a_wrong_call_gives_status_2_and_no_findings(files, monkeypatch, arguments, message):
    monkeypatch.chdir(files)
    outcome = doxel("check", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert "Traceback" not in outcome.err


BAD_RUNS = {
    "a 7-column line in an 8-column file": (
        FOL + "1 Q0 a 2 0.8 r 9\n",
        2,
        "wanted 8 columns: topic Q0 doc rank rsv run-id offset length, found 7 columns",
    ),
    "a rank that is not a number": (FOL + "1 Q0 a two 0.8 r 9 5\n", 2, "wanted a whole number, found 'two'"),
    "a negative length": (
        FOL + "1 Q0 a 2 0.8 r 9 -5\n",
        2,
        "wanted a number of characters, 0 or more, found '-5'",
    ),
    "a path with position 0": (
        "1 Q0 a 1 0.9 r /article[1]\n1 Q0 a 2 0.8 r /article[1]/p[0]\n",
        2,
        "positions from 1, found '/article[1]/p[0]'",
    ),
    "an unknown task": (xml_run("Unfocused", ("1", "a", "/a[1]", 1, 1)), 1, "found 'Unfocused'"),
    "mixed formats": (FOL + '{"topic": "1", "doc": "a"}\n', 2, "found 4 columns"),
    "paths after offsets": (FOL + "1 Q0 a 2 0.8 r /a[1] /a[2]\n", 2, "found '/a[1]'"),
    "invalid UTF-8": (FOL.encode() + b"1 Q0 caf\xe9 2 0.8 r 0 5\n", 2, "wanted UTF-8 text, found byte 0xe9"),
    "an empty run": ("", None, "empty file: wanted a run, found no results"),
    "an empty XML run": ("<inex-submission/>", None, "a run without results"),
    "no run at all": ("once upon a time\n", 1, "not a known format of runs: wanted one of inex-xml"),
}


@pytest.mark.parametrize("name", BAD_RUNS)
def test_a_run_that_cannot_be_read_is_a_finding_with_its_line(tmp_path, name):
    content, line, message = BAD_RUNS[name]
    status, findings = checked(tmp_path, "a.run", content)
    assert status == 1
    assert [(finding["code"], finding["file"]) for finding in findings] == [("F001", str(tmp_path / "a.run"))]
    (place,) = findings[0]["places"]
    assert place["line"] == line
    assert message in place["message"]


@pytest.mark.long_line
def test_a_line_of_many_megabytes_is_rejected_and_not_echoed(tmp_path):
    (tmp_path / "long.run").write_bytes(FOL.encode() + b"1 Q0 a 2 0.8 r 9 " + b"5" * LONG_LINE)
    outcome = doxel("check", tmp_path / "long.run")
    assert outcome.status == 1
    assert "a very long line: wanted lines of at most 10,000,000 bytes" in " ".join(outcome.out.split())
    assert len(outcome.out) < 5000


@pytest.mark.parametrize(
    "content",
    [
        "1\tQ0  a 1 0.9\tr 0 5\n1 Q0 a  2 0.8 r   5 5\n",
        "1 Q0 a 1 0.9 r 0 5\r\n1 Q0 a 2 0.8 r 5 5\r\n",
        "\ufeff1 Q0 a 1 0.9 r 0 5\n1 Q0 a 2 0.8 r 5 5\n",
        "\n1 Q0 a 1 0.9 r 0 5\n\n1 Q0 a 2 0.8 r 5 5",
    ],
    ids=["tabs and double spaces", "CRLF", "BOM", "blank lines"],
)
def test_odd_spelling_is_accepted(tmp_path, content):
    assert checked(tmp_path, "a.run", content, "--task", "focused") == (0, [])


def test_fol_end_reads_ends_instead_of_lengths(tmp_path):
    content = "1 Q0 a 1 0.9 r 0 5\n1 Q0 a 2 0.8 r 5 9\n1 Q0 a 3 0.7 r 9 14\n"
    status, findings = checked(tmp_path, "a.run", content, "--task", "focused")
    assert (status, [finding["code"] for finding in findings]) == (1, ["R202"])
    assert checked(tmp_path, "a.run", content, "--task", "focused", "--fol-end") == (0, [])


def test_a_repeated_topic_id_names_the_second_file(tmp_path):
    write_files(tmp_path, {"s.tsv": "7\tx\n1\ttrees\n", "t.tsv": "1\tgraphs\n"})
    outcome = doxel("check", "-f", "json", "-t", tmp_path / "s.tsv", "-t", tmp_path / "t.tsv")
    (finding,) = json.loads(outcome.out)["findings"]
    assert (outcome.status, finding["code"], finding["file"]) == (1, "T001", str(tmp_path / "t.tsv"))
    message = "another topic has the same id"
    assert finding["places"] == [{"line": 1, "topic": "1", "doc": None, "message": message}]


def test_an_assessment_of_an_unknown_topic_is_a_finding(files):
    write_files(files, {"q": QRELS + "9 Q0 a 7 21 0 0:7\n"})
    outcome = doxel("check", "-f", "json", "-t", files / "t.tsv", "-a", files / "q")
    (finding,) = json.loads(outcome.out)["findings"]
    assert (outcome.status, finding["code"], finding["file"]) == (1, "A501", str(files / "q"))
    assert (finding["places"][0]["line"], finding["places"][0]["topic"]) == (2, "9")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("q",), "{0}/q can be read as assessments (qrels); pass assessments with -a"),
        (("t.tsv",), "{0}/t.tsv can be read as topics (tsv); pass topics with -t"),
        (("-a", "t.tsv"), "{0}/t.tsv can be read as topics (tsv); pass topics with -t"),
        (("-t", "a.xml"), "{0}/a.xml can be read as a run (inex-xml); pass runs without an option"),
    ],
)
def test_a_hint_names_the_option_for_a_file_of_another_kind(files, words, hint):
    write_files(files, {"q": QRELS})
    outcome = doxel("check", *(word if word.startswith("-") else files / word for word in words))
    assert outcome.status == 1
    assert f"doxel: {hint.format(files)}" in outcome.messages


def test_a_run_without_assessed_topics_is_a_finding(files):
    write_files(files, {"q": "9 Q0 a 7 21 0 0:7\n"})
    outcome = doxel("check", "-f", "json", "-a", files / "q", files / "a.xml")
    (finding,) = json.loads(outcome.out)["findings"]
    assert (outcome.status, finding["code"]) == (1, "R403")
    assert finding["places"][0]["message"] == (
        "none of its topics was assessed: the run has topics 1, the assessments have 9; check that the ids "
        "match"
    )


def test_a_matching_fingerprint_is_not_a_finding(tmp_path, collection):
    from doxel.documents import read_collection

    text = CASES["R109"].runs["a.xml"]
    fitting = text.replace(OTHER_FINGERPRINT, read_collection(collection).fingerprint)
    write_files(tmp_path, {"a.xml": fitting})
    assert doxel("check", "-c", collection, tmp_path / "a.xml").status == 0


def test_results_go_to_stdout_and_messages_to_stderr(files):
    outcome = doxel_process("check", files / "a.xml")
    assert outcome.status == 0
    assert "overlapping" in outcome.out
    assert outcome.messages == [
        "doxel: documents, paths and positions of 2 results were not checked; pass a collection with -c",
        "doxel: 0 errors, 0 warnings, 0 notes",
    ]


def test_check_compares_paths_without_a_collection(structured):
    outcome = doxel(
        "check",
        "-t",
        structured / "topics.xml",
        "--structure",
        "target=strict",
        "-f",
        "json",
        structured / "a.run",
    )
    findings = {entry["code"]: entry for entry in json.loads(outcome.out)["findings"]}
    assert [place["line"] for place in findings["R206"]["places"]] == [1]
    strict = doxel("check", "-t", structured / "topics.xml", "--structure", "SCAS", structured / "a.run")
    assert (strict.status, "a collection (-c)" in strict.err) == (2, True)


def test_the_exit_status_counts_even_if_nobody_reads_the_output(tmp_path):
    folder = write_files(tmp_path, {"a.run": FOL + FOL.replace("0.9", "x")})
    command = [sys.executable, "-m", "doxel", "check", str(folder / "a.run")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.wait() == 1
