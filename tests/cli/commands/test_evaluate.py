"""``doxel evaluate`` with structure."""

import json

from cli.structured_topics import options
from documents.commands import doxel


def test_evaluate_ignores_results_off_target(structured):
    """The p at rank 1 of a is off target; its text is seen there, so the sec has nothing new."""
    measure = 'nxCG(task="thorough")@1'
    outcome = doxel(
        "evaluate",
        *options(structured),
        "--structure",
        "SCAS",
        "-m",
        measure,
        structured / "a.run",
        structured / "b.run",
    )
    assert outcome.status == 0
    assert [line.split("\t")[3] for line in outcome.out.splitlines()[1:]] == ["0.0", "1.0"]
    assert "a: 1 result in a judged document is off target" in outcome.err


def test_evaluate_records_the_structure(structured):
    outcome = doxel(
        "evaluate",
        *options(structured),
        "--structure",
        "target=strict",
        "-m",
        "char_rec",
        "-f",
        "json",
        structured / "a.run",
    )
    assert json.loads(outcome.out)["parameters"]["structure"] == "target=strict,support=vague"
