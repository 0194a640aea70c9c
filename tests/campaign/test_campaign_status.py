"""The status of a campaign's parts: missing, incomplete, stale, wrong, ready."""

from __future__ import annotations

import pytest

import doxel
from documents.commands import write_files
from doxel.campaign import create_campaign, inspect_campaign, read_campaign
from doxel.errors import CollectionError, InputError

TOPICS = "1\ttrees\n2\tgraphs\n3\twords\n"
SOURCES = {f"documents/{name}.xml": f"<a><b>{name * 10}</b><b>{name * 5}</b></a>" for name in "pqr"}
RUN_A = "1 Q0 p 1 0.9 A /a[1]/b[1]\n2 Q0 q 1 0.8 A /a[1]\n3 Q0 r 1 0.7 A /a[1]\n"
RUN_B = "1 Q0 q 1 0.9 B /a[1]/b[1]\n2 Q0 q 1 0.8 B /a[1]\n3 Q0 r 1 0.7 B /a[1]\n"
QRELS = "1 Q0 p 10 15 0 0:10\n1 Q0 q 0 15\n2 Q0 q 5 15 0 0:5\n3 Q0 r 0 15\n"


@pytest.fixture
def folder(tmp_path):
    """A campaign with everything but a report."""
    folder = tmp_path / "spring"
    campaign = create_campaign(folder)
    write_files(folder, {**SOURCES, "topics/topics.tsv": TOPICS, "assessments/a.qrels": QRELS})
    write_files(folder, {"runs/a.run": RUN_A, "runs/b.run": RUN_B})
    doxel.ingest(folder / "documents", folder / "collection.doxel")
    make_pool(campaign)
    return folder


def make_pool(campaign):
    pool = doxel.pool(campaign.run_files, depth=10, collection=campaign.collection)
    doxel.write_pool(pool, campaign.pool)


def configure(folder, text):
    (folder / "campaign.toml").write_text(text, "utf-8")


def status(folder, part):
    return inspect_campaign(read_campaign(folder))[part]


def test_a_new_campaign_lacks_everything_without_being_wrong(tmp_path):
    create_campaign(tmp_path / "new")
    campaign_status = inspect_campaign(read_campaign(tmp_path / "new"))
    states = {part.part: part.state for part in campaign_status.parts}
    assert states.pop("measures") == "ready"
    assert set(states.values()) == {"missing"}
    assert campaign_status.fits
    assert (
        campaign_status["collection"].todo
        == f"doxel ingest {tmp_path}/new/documents -o {tmp_path}/new/collection.doxel"
    )


def test_a_whole_campaign_is_ready(folder):
    campaign_status = inspect_campaign(read_campaign(folder))
    assert {
        part.part: part.state for part in campaign_status.parts if part.part != "report"
    } == dict.fromkeys(("collection", "topics", "runs", "pool", "assessments", "measures"), "ready")
    assert campaign_status["collection"].counts["documents"] == 3
    assert campaign_status["topics"].counts["candidate"] == 3
    assert campaign_status["runs"].counts == {"runs": 2, "results": 6}
    assert campaign_status["pool"].counts == {"topics": 3, "documents": 4, "runs": 2}
    assert campaign_status["assessments"].counts == {"topics": 3, "documents": 4}
    assert campaign_status["report"].todo == f"doxel campaign report {folder}"
    with pytest.raises(InputError, match="wanted one of collection, topics"):
        campaign_status["weather"]


def test_a_pool_of_other_texts_is_stale(folder):
    write_files(folder, {"documents/s.xml": "<a>new</a>"})
    doxel.ingest(folder / "documents", folder / "collection.doxel")
    pool = status(folder, "pool")
    assert pool.state == "stale"
    assert pool.matters[0].startswith("made for other texts (fingerprint: ")
    assert pool.todo == f"doxel campaign pool {folder}"
    assert not inspect_campaign(read_campaign(folder)).fits


def test_a_pool_without_a_new_run_is_stale(folder):
    write_files(folder, {"runs/c.run": RUN_B.replace(" B ", " C ")})
    assert status(folder, "pool").matters == ("1 run is not in the pool: C",)
    assert status(folder, "pool").state == "stale"


def test_a_pool_of_a_deleted_or_changed_run_is_stale(folder):
    write_files(folder, {"runs/b.run": RUN_B.replace("1 Q0 q", "1 Q0 r")})
    assert status(folder, "pool").matters == ("1 run has changed since: B",)
    (folder / "runs" / "b.run").unlink()
    assert status(folder, "pool").matters == ("1 pooled run no longer exists: B",)
    assert status(folder, "pool").state == "stale"


def test_another_name_of_a_document_is_not_a_change(folder):
    write_files(folder, {"runs/b.run": RUN_B.replace("Q0 q ", "Q0 q.xml ")})
    assert status(folder, "pool").state == "ready"


def test_runs_without_some_topics_or_with_errors_are_reported(folder):
    write_files(folder, {"runs/b.run": RUN_B.split("\n", maxsplit=1)[0] + "\n"})
    assert status(folder, "runs").matters == ("B: no results for 2 topics: 2, 3",)
    assert status(folder, "runs").state == "incomplete"
    write_files(folder, {"runs/c.run": "1 Q0\n"})
    assert status(folder, "runs").state == "wrong"
    assert any("c.run, line 1" in matter for matter in status(folder, "runs").matters)
    configure(folder, "[topics]\nselected = ['1']\n")
    assert not any("no results" in matter for matter in status(folder, "runs").matters)


def test_assessments_without_some_topics_or_documents_are_incomplete(folder):
    write_files(folder, {"assessments/a.qrels": "1 Q0 p 10 15 0 0:10\n2 Q0 q 5 15 0 0:5\n"})
    assessments = status(folder, "assessments")
    assert assessments.state == "incomplete"
    assert assessments.matters == (
        "1 topic is not judged: 3",
        "1 pooled document of judged topics is not judged, such as q for topic 1",
    )
    configure(folder, "[topics]\nassessed = ['2']\n")
    assert status(folder, "assessments").state == "ready"


def test_assessments_of_other_documents_or_topics_are_stale(folder):
    write_files(folder, {"assessments/b.qrels": "3 Q0 nobody 0 15\n9 Q0 p 0 15\n"})
    assessments = status(folder, "assessments")
    assert assessments.state == "stale"
    assert assessments.matters == (
        "1 judged topic is not among the candidates: 9",
        "1 judged document is not in the collection: nobody",
    )


def test_highlights_that_no_longer_fit_the_texts_are_stale(folder):
    write_files(folder, {"assessments/a.qrels": QRELS.replace("0:10", "0:400")})
    assessments = status(folder, "assessments")
    assert assessments.state == "stale"
    assert assessments.matters == ("1 highlight was not found in the collection (outside the document)",)


def test_exported_assessments_of_other_texts_are_stale(folder):
    own = read_campaign(folder).read_collection().fingerprint
    write_files(folder, {"assessments/a.qrels.about.json": f'{{"fingerprint": "{own}"}}'})
    assert status(folder, "assessments").state == "ready"
    write_files(folder, {"assessments/a.qrels.about.json": '{"fingerprint": "f0"}'})
    assessments = status(folder, "assessments")
    assert assessments.state == "stale"
    assert assessments.matters == ("a.qrels was exported for other texts (fingerprint: f0)",)
    write_files(folder, {"assessments/a.qrels.about.json": "[]"})
    assert status(folder, "assessments").state == "wrong"


def test_a_broken_report_is_wrong(folder):
    write_files(folder, {"report/report.json": "{"})
    assert status(folder, "report").state == "wrong"


def test_a_selected_topic_must_be_a_candidate(folder):
    configure(folder, "[topics]\nselected = ['1', '7']\n")
    topics = status(folder, "topics")
    assert (topics.state, topics.matters) == ("wrong", ("1 selected topic is not among the candidates: 7",))


def test_a_configured_fingerprint_must_match(folder):
    own = read_campaign(folder).read_collection().fingerprint
    configure(folder, f"[collection]\nfingerprint = '{own}'\n")
    assert status(folder, "collection").state == "ready"
    configure(folder, f"[collection]\nfingerprint = '{'0' * 32}'\n")
    assert status(folder, "collection").state == "stale"
    with pytest.raises(CollectionError, match="the texts differ from those of the campaign"):
        read_campaign(folder).read_collection()


def test_selected_and_assessed_topics_are_read(folder):
    configure(folder, "[topics]\nselected = ['3', '1']\nassessed = ['1']\n")
    campaign = read_campaign(folder)
    assert campaign.read_topics().ids == ["1", "2", "3"]
    assert campaign.read_selected().ids == ["3", "1"]
    assert campaign.read_assessments().topics == ["1"]
    assert campaign.read_assessments().highlights["topic"].to_list() == ["1"]
    assert campaign.read_pool().topics == ["1", "2", "3"]
    write_files(folder, {"assessments/a.qrels": "2 Q0 q 5 15 0 0:5\n"})
    with pytest.raises(InputError, match="none of the assessed topics was judged"):
        campaign.read_assessments()


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[" * 100_000,
        "[]",
        '{"runs": 1, "topics": []}',
        '{"runs": [], "topics": [], "collection": "c"}',
        '{"runs": [], "topics": [], "files": [{"role": "run"}]}',
        '{"runs": [], "topics": [], "files": [{"role": []}]}',
        '{"runs": [], "topics": [], "files": 1}',
    ],
)
def test_a_report_of_another_shape_is_wrong(folder, content):
    write_files(folder, {"report/report.json": content})
    report = status(folder, "report")
    assert report.state == "wrong"
    assert f"{folder / 'report' / 'report.json'}: " in report.matters[0]


@pytest.mark.parametrize("content", ["[" * 100_000, "[]", "{}", "\xff"])
def test_a_broken_description_of_an_export_is_wrong(folder, content):
    write_files(folder, {"assessments/a.qrels.about.json": content})
    assessments = status(folder, "assessments")
    assert assessments.state == "wrong"
    assert "a.qrels.about.json: " in assessments.matters[0]


def test_a_pool_is_stale_if_all_documents_of_a_run_are_unknown(folder):
    write_files(folder, {"runs/b.run": RUN_B.replace("Q0 q ", "Q0 nowhere ").replace("Q0 r ", "Q0 nowhere ")})
    assert status(folder, "pool").state == "stale"


def damage_texts(folder):
    (path,) = folder.rglob("texts.parquet")
    content = bytearray(path.read_bytes())
    content[10] ^= 1
    path.write_bytes(content)


def test_a_verified_collection_is_compared_with_the_configured_fingerprint(folder):
    own = read_campaign(folder).read_collection().fingerprint
    configure(folder, f'[collection]\nfingerprint = "{own}"\n')
    campaign = read_campaign(folder)
    assert inspect_campaign(campaign, verify=True)["collection"].state == "ready"
    damage_texts(campaign.collection)
    verified = inspect_campaign(campaign, verify=True)["collection"]
    assert verified.state == "wrong"
    assert "texts.parquet: changed since it was written" in verified.matters[0]
    assert verified.matters[1] == "the fingerprint of its texts, none, is not the configured one"


def test_swapped_tables_of_a_collection_are_wrong(folder):
    part = next(read_campaign(folder).collection.glob("part-*"))
    (part / "breaks.parquet").write_bytes((part / "labels.parquet").read_bytes())
    assert status(folder, "collection").state == "wrong"
