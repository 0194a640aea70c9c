"""The commands for assessments in files: the losses of an import, and the agreement of assessors."""

import json
import re

import pytest

from cli.assess_users import add
from documents.commands import doxel


def test_three_assessors_are_compared_and_adjudicated(files, database, tmp_path):
    where = ("--campaign", files, "--database", database)
    for name, line in {"anna": "11 22 0 0:11", "ben": "11 22 0 0:11", "carl": "5 22 0 0:5"}.items():
        add(files, database, name, "assessor")
        (tmp_path / f"{name}.qrels").write_text(f"1 Q0 a {line}\n")
    add(files, database)
    assert doxel("assess", "assignment", "give", "1", "--assessor", "anna", *where).status == 0
    for name in ("anna", "ben", "carl"):
        taken = doxel("assess", "import", tmp_path / f"{name}.qrels", "--assessor", name, *where)
        assert taken.status == 0, taken.err
    names = [word for name in ("anna", "ben", "carl") for word in ("--assessor", name)]
    three = doxel("assess", "agreement", *names, *where)
    assert re.search(r"anna\s+carl\s+1\s+0\.4545\s+0\.6250", three.out)  # 5 of 11; 2 x 5 of 16
    assert re.search(r"1\s+a\s+3\s+6\s+5\s+", three.out)  # one document, 3 assessors, 6 disputed, 5 agreed
    alphas = json.loads(doxel("assess", "agreement", *names, *where, "-f", "json").out)
    # 66 values, 27 of them marked; each of 6 disputed characters has 2 * 2 * 1 / 2 differing coincidences
    assert alphas["topics"][0]["alpha"] == pytest.approx(1 - 65 * 12 / (2 * 27 * 39))
    adjudicate = ("assess", "assignment", "adjudicate", "1", "2", "3", *where)
    begun = doxel(*adjudicate, "--assessor", "olga")
    assert begun.messages == [
        "doxel: assignment 4: olga adjudicates; 0 of 1 document are agreed by all and done"
    ]
    again = doxel(*adjudicate, "--assessor", "anna")
    assert (again.status, "anna, whose work is a source" in again.err) == (2, True)


def test_an_import_reports_its_losses(files, database, tmp_path):
    add(files, database, "anna", "assessor")
    (tmp_path / "a.qrels").write_text("1 Q0 a 3 22 0 0:3\n1 Q0 b 0 9\n")
    outcome = doxel(
        *("assess", "import", tmp_path / "a.qrels", "--assessor", "anna"),
        *("-c", files / "collection.doxel", "--database", database),
    )
    assert outcome.status == 1
    assert "1 judged document was not found in the collection (unknown document)" in outcome.err
