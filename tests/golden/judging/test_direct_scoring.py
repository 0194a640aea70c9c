"""Commands score the judgements in the site's database directly: no export is copied."""

import json
import shutil

import pytest

from documents.commands import doxel
from doxel.assess.office.assessment_import import import_assessments
from doxel.assess.store.accounts import add_user
from doxel.assess.store.database import open_store
from doxel.assess.store.pooled_documents import Library
from doxel.assessments import read_assessments
from doxel.campaign import write_demo
from doxel.documents import read_collection


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """The demo's files, and a campaign in a folder whose database has the demo's judgements."""
    folder = tmp_path_factory.mktemp("direct")
    files = write_demo(folder / "demo")
    assert doxel("campaign", "init", folder / "spring").status == 0
    with open_store(folder / "spring" / "assess.sqlite") as store:
        with store.write() as connection:
            add_user(connection, "anna", "x")
        judgements = read_assessments(files.assessments["qrels"])
        import_assessments(store, Library(read_collection(files.collection)), judgements, "anna")
    return folder, files


def test_the_database_scores_as_the_file_that_was_imported(judged):
    folder, files = judged
    run = next(run for run in files.runs if run.name == "bm25-focused.xml")
    common = ("evaluate", "-q", "-c", files.collection, "-m", "MAep", "-m", "MAiP", "-f", "tsv", run)
    direct = doxel(*common, "-a", folder / "spring" / "assess.sqlite")
    assert direct.status == 0, direct.err
    assert direct.out == doxel(*common, "-a", files.assessments["qrels"]).out
    assert direct.out == doxel(*common, "-a", f"sqlite:///{folder / 'spring' / 'assess.sqlite'}").out


def test_a_report_reads_the_database_and_names_it(judged, tmp_path):
    folder, files = judged
    run = next(run for run in files.runs if run.name == "bm25-focused.xml")
    database = folder / "spring" / "assess.sqlite"
    command = doxel(
        *("report", "-a", database, "-c", files.collection, "-m", "MAep", "-o", tmp_path / "page", run)
    )
    assert command.status == 0, command.err
    sources = json.loads((tmp_path / "page" / "report.json").read_text())["files"]
    (named,) = [source for source in sources if source["role"] == "assessments"]
    assert named["name"] == str(database)
    assert len(named["sha256"]) == 64


def test_the_status_of_a_campaign_counts_the_judgements_in_its_database(judged):
    folder, _ = judged
    outcome = doxel("campaign", "status", folder / "spring", "-f", "json")
    parts = {part["part"]: part for part in json.loads(outcome.out)["parts"]}
    assert parts["assessments"]["counts"] == {"topics": 14, "documents": 341}
    assert parts["assessments"]["where"].endswith("assess.sqlite")


def test_a_database_without_judgements_is_a_missing_part_and_not_an_error(judged, tmp_path):
    folder, _ = judged
    shutil.copytree(folder / "spring", tmp_path / "new", ignore=shutil.ignore_patterns("assess.sqlite*"))
    open_store(tmp_path / "new" / "assess.sqlite").close()
    outcome = doxel("campaign", "status", tmp_path / "new", "-f", "json")
    parts = {part["part"]: part for part in json.loads(outcome.out)["parts"]}
    assert parts["assessments"]["state"] == "missing"
    assert parts["assessments"]["matters"] == ["no document of an official assignment is done yet"]


def test_agreement_is_on_the_scale_that_the_assessors_share(judged, tmp_path):
    folder, files = judged
    database = tmp_path / "site.sqlite"
    shutil.copy(folder / "spring" / "assess.sqlite", database)
    with open_store(database) as store:
        with store.write() as connection:
            add_user(connection, "ben", "x")
        library = Library(read_collection(files.collection))
        for name in ("qrels", "inex2005"):
            judgements = read_assessments(files.assessments[name])
            if name == "inex2005":
                with store.write() as connection:
                    add_user(connection, "carl", "x")
            import_assessments(store, library, judgements, "ben" if name == "qrels" else "carl")
    place = ("-c", files.collection, "--database", database)
    same = doxel("assess", "agreement", "--assessor", "anna", "--assessor", "ben", *place, "-f", "json")
    assert same.status == 0, same.err
    assert json.loads(same.out)["characters"][-1]["kappa"] == pytest.approx(1)
    outcome = doxel("assess", "agreement", "--assessor", "anna", "--assessor", "carl", *place)
    assert outcome.status == 2
    assert "wanted one scale that all share, found none" in outcome.err
