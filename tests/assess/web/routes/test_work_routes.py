"""Work is distributed with a preview, finished work is locked at once, and exports have the right types."""

import json
import re

import pytest

from assess.saying import say
from doxel.assess.store.assignments import list_assignments


def chosen(site):
    with site.service.store.read() as connection:
        return {(item.topic, item.assessor): item.documents for item in list_assignments(connection)}


def form(visitor, **fields):
    return visitor.http.post("/organiser/assign", data={"csrf": visitor.csrf, **fields})


SPLIT = {"kind": "split", "topic": ["2"], "person": ["carl", "anna"], "overlap": "2"}


def test_a_plan_is_shown_before_it_is_applied(site):
    olga, before = site.visitor("olga"), chosen(site)
    page = form(olga, action="preview", **SPLIT)
    assert "Assign as shown" in page.text
    assert chosen(site) == before
    (digest,) = re.findall(r'name="digest" value="([^"]+)"', page.text)
    assert form(olga, action="apply", digest=digest, **SPLIT).status_code == 303
    assert chosen(site) == {**before, ("2", "anna"): 1, ("2", "carl"): 1}
    assert "The work is distributed: 2 assignments changed." in olga.get("/organiser").text


def test_a_plan_that_has_changed_since_is_shown_again(site):
    olga = site.visitor("olga")
    page = form(olga, action="preview", **SPLIT)
    (digest,) = re.findall(r'name="digest" value="([^"]+)"', page.text)
    olga.post("/api/assignments", {"topic": "2", "assessor": "carl", "scale": "2006"})
    before = chosen(site)
    again = form(olga, action="apply", digest=digest, **SPLIT)
    assert "have changed since" in again.text
    assert chosen(site) == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"overlap": "9"}, "the overlap: wanted from 1 up to the number of people"),
        ({"overlap": "x"}, "wanted a number from 1"),
        ({"topic": []}, "wanted at least one topic"),
        ({"person": []}, "wanted at least one person"),
    ],
)
def test_errors_are_shown_and_keep_the_choices(site, changes, message):
    answer = form(site.visitor("olga"), action="preview", **{**SPLIT, **changes})
    assert answer.status_code == 400
    assert message in answer.text
    assert re.search(r'value="split" checked', answer.text)


def test_programs_distribute_work_too(site):
    olga = site.visitor("olga")
    request = {"kind": "split", "topics": ["2"], "people": ["carl"], "apply": False}
    preview = olga.post("/api/plans", request).json()
    assert preview["shares"] == [
        {"topic": "2", "assessor": "carl", "documents": 1, "removed": 0, "whole": False}
    ]
    assert ("2", "carl") not in chosen(site)
    assert olga.post("/api/plans", {**request, "apply": True}).json() == preview
    assert chosen(site)["2", "carl"] == 1


def test_the_list_of_documents_by_program(site, event):
    anna = site.visitor("anna")
    anna.send(1, event(1, "validate", {}))
    listing = anna.get("/api/assignments/1/list?state=open").json()
    assert [row["doc"] for row in listing["documents"]] == ["pears"]
    assert listing["documents"][0]["title"] == "Pears"
    assert listing["counts"] == {"not relevant": 1, "open": 1}
    assert anna.get("/api/assignments/1/list?state=x").status_code == 400


def test_documents_of_another_share_are_not_shown(site):
    olga = site.visitor("olga")
    olga.post(
        "/api/plans", {"kind": "level", "topics": ["1"], "people": ["anna", "ben", "carl"], "apply": True}
    )
    carl = site.visitor("carl")
    (own,) = carl.get("/api/assignments").json()["assignments"]
    assert (own["partial"], own["documents"]) == (True, 1)
    docs = [row["doc"] for row in carl.get(f"/api/assignments/{own['id']}").json()["listed"]]
    (other,) = {"apples", "pears"} - set(docs)
    assert carl.get(f"/api/assignments/{own['id']}/documents/{docs[0]}").status_code == 200
    assert carl.get(f"/api/assignments/{own['id']}/documents/{other}").status_code == 404


def test_the_next_topic_is_offered_at_the_end_of_one(site, event):
    olga, anna = site.visitor("olga"), site.visitor("anna")
    assert anna.get("/api/assignments/1/following").json() == {"following": None}
    olga.post("/api/assignments", {"topic": "2", "assessor": "anna", "scale": "2006"})
    anna.send(1, event(1, "validate", {}), event(2, "validate", {}, doc="pears"))
    assert anna.get("/api/assignments/1/following").json()["following"]["topic"] == "2"
    page = anna.get("/assignments/1").text
    assert "This topic is finished." in page
    assert 'href="/assignments/3">topic 2' in page
    assert anna.get("/assignments/3/continue").headers["location"] == "/assignments/3/documents/plums"
    assert anna.get("/assignments/1/continue").headers["location"] == "/assignments/1"


def test_everything_finished_is_locked_at_once(site, event):
    olga, anna = site.visitor("olga"), site.visitor("anna")
    anna.send(1, event(1, "validate", {}), event(2, "validate", {}, doc="pears"))
    page = olga.get("/organiser").text
    assert "1 assignment is finished and can be locked" in page
    assert olga.form("/organiser/locks", assignment="1").status_code == 303
    with site.service.store.read() as connection:
        assert [item.locked for item in list_assignments(connection)] == [True, False]


@pytest.fixture
def judged(site, library):
    """Topic 1 done by anna on the scale of 2006, topic 2 by carl on that of 2003."""
    site.visitor("olga").post("/api/assignments", {"topic": "2", "assessor": "carl", "scale": "2003"})
    store = site.service.store
    say(
        store,
        library,
        1,
        ("apples", "highlight", {"spans": [[6, 26]]}),
        ("apples", "bep", {"position": 6}),
        ("apples", "validate", {}),
        ("pears", "validate", {}),
    )
    grades = {"exhaustivity": "2", "specificity": "1"}
    say(store, library, 3, ("plums", "grade", {"path": "/article[1]", "grades": grades}))
    say(store, library, 3, ("plums", "validate", {}))
    site.visitor("olga").post("/api/campaign", {"name": "Spring: fruit"})
    return site


def test_the_export_page_offers_each_scale(judged):
    olga = judged.visitor("olga")
    page = olga.get("/organiser/export").text
    assert "several scales" in page
    assert "2006: highlights and a best entry point (2 documents done)" in page
    assert "/api/export?format=qrels&amp;scale=2006" in page
    assert "/api/export?format=inex2003&amp;scale=2003" in olga.get("/organiser/export?scale=2003").text


@pytest.mark.parametrize(
    ("scale", "name", "file", "media"),
    [
        ("2006", "qrels", "spring-fruit-2006.qrels", "text/plain; charset=utf-8"),
        ("2006", "jsonl", "spring-fruit-2006.jsonl", "application/jsonl"),
        ("2006", "web-annotation", "spring-fruit-2006.jsonld", "application/ld+json"),
        ("2006", "inex2006", "spring-fruit-2006.xml", "application/xml"),
        ("2006", "trec", "spring-fruit-2006.qrels", "text/plain; charset=utf-8"),
        ("2006", "beir", "spring-fruit-2006.tsv", "text/tab-separated-values; charset=utf-8"),
        ("2006", "qrels-json", "spring-fruit-2006.json", "application/json"),
        ("2003", "inex2003", "spring-fruit-2003.xml", "application/xml"),
    ],
)
def test_file_names_and_types_of_exports(judged, scale, name, file, media):
    answer = judged.visitor("olga").get(f"/api/export?format={name}&scale={scale}&lossy=1")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == f'attachment; filename="{file}"'
    assert answer.headers["content-type"] == media


def test_every_link_on_the_export_page_works(judged):
    olga = judged.visitor("olga")
    for scale in ("2006", "2003"):
        links = re.findall(r'href="(/api/export[^"]+)"', olga.get(f"/organiser/export?scale={scale}").text)
        assert len(links) == 11
        failed = {
            link: answer.text[:200]
            for link in links
            if (answer := olga.get(link.replace("&amp;", "&"))).status_code != 200
        }
        assert failed == {}


def test_an_export_of_several_scales_without_a_choice_is_refused_in_words(judged):
    assert "assignments of several scales" in judged.visitor("olga").get("/api/export?format=qrels").text


IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+", re.IGNORECASE)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def test_annotations_have_ids_creators_and_dates_and_keep_the_rules_of_the_model(judged):
    """W3C, Web Annotation Data Model, 2017: what it says an annotation must have, sections 3 to 5."""
    page = json.loads(judged.visitor("olga").get("/api/export?format=web-annotation&scale=2006").text)
    assert page["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert (page["type"], page["startIndex"]) == ("AnnotationPage", 0)
    assert IRI.fullmatch(page["id"])
    assert sorted(item["motivation"] for item in page["items"]) == [
        "assessing",
        "bookmarking",
        "highlighting",
    ]
    assert len({item["id"] for item in page["items"]}) == 3
    for item in page["items"]:
        assert item["type"] == "Annotation"
        assert IRI.fullmatch(item["id"])
        assert (item["creator"]["type"], item["creator"]["name"]) == ("Person", "anna")
        assert IRI.fullmatch(item["creator"]["id"])
        assert TIME.fullmatch(item["created"])
        assert item["created"] <= item["modified"]
        assert item["generator"]["type"] == "Software"
        assert all(body["type"] == "TextualBody" and isinstance(body["value"], str) for body in item["body"])
        target = item["target"]
        if isinstance(target, dict):
            selectors = target["selector"] if isinstance(target["selector"], list) else [target["selector"]]
            for selector in selectors:
                if selector["type"] == "TextPositionSelector":
                    assert 0 <= selector["start"] <= selector["end"]
                else:
                    assert selector["type"] == "TextQuoteSelector"
                    assert isinstance(selector["exact"], str)


def test_the_same_judgement_has_the_same_id_in_every_export(judged):
    olga = judged.visitor("olga")
    address = "/api/export?format=web-annotation&scale=2006"
    assert olga.get(address).text == olga.get(address).text
