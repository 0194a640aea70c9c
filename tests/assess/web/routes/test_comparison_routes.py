"""The comparison of assessors over HTTP: differences, access rights, and recorded looks."""

import pytest


def test_an_organiser_chooses_the_official_assignment_on_the_comparison_page(site):
    olga, anna = site.visitor("olga"), site.visitor("anna")
    assert "Make ben’s official" in olga.get("/topics/1/compare").text
    answer = olga.form("/organiser/assignments/2", action="official-here", one="anna", other="ben", doc="a b")
    assert answer.headers["location"] == "/topics/1/compare?one=anna&other=ben&doc=a+b"
    assert [assignment["official"] for assignment in olga.get("/api/progress").json()["assignments"]] == [
        True,
        False,
    ]
    assert anna.form("/organiser/assignments/1", action="official-here").status_code == 403


def test_an_assessor_who_can_change_marks_is_warned_before_seeing_others_and_the_look_is_recorded(
    site, event
):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    anna.send(1, event(1, "validate", {}), event(2, "validate", {}, doc="pears"))
    assert "You are about to see the marks of others" in anna.get("/topics/1/compare").text
    assert anna.get("/api/assignments/1").json()["looks"] == []
    comparison = anna.get("/topics/1/compare?look=yes")
    assert "about to see" not in comparison.text
    assert "about to see" not in anna.get("/topics/1/compare").text
    (seen,) = anna.get("/api/assignments/1").json()["looks"]
    assert seen["assessor"] == "ben"
    assert "Changed after seeing others" not in olga.get("/topics/1/compare").text
    anna.send(1, event(3), event(4, "bep", {"position": 0}), event(5, "validate", {}))
    assert "anna changed 1 document after seeing the marks of ben" in olga.get("/topics/1/compare").text
    assert olga.get("/api/topics/1/compare").json()["late"][0]["docs"] == ["apples"]


@pytest.mark.parametrize("part", ["states", "events"])
def test_reading_the_state_of_another_is_a_look_and_reading_the_own_is_not(site, event, part):
    anna = site.visitor("anna")
    anna.send(1, event(1, "validate", {}), event(2, "validate", {}, doc="pears"))
    anna.get(f"/api/assignments/1/{part}/apples")
    assert anna.get("/api/assignments/1").json()["looks"] == []
    anna.get(f"/api/assignments/2/{part}/apples")
    assert [look["assessor"] for look in anna.get("/api/assignments/1").json()["looks"]] == ["ben"]


def test_who_cannot_change_anything_any_more_is_not_warned(site, event):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    anna.send(1, event(1, "validate", {}), event(2, "validate", {}, doc="pears"))
    olga.post("/api/assignments/1/locked", {"locked": True})
    assert "about to see" not in anna.get("/topics/1/compare").text


def test_three_assessors_have_alpha_all_pairs_and_the_most_disputed_documents_first(site, event):
    olga = site.visitor("olga")
    olga.post("/api/assignments", {"topic": "1", "assessor": "carl", "scale": "2006"})
    ends = {"anna": (1, 6, 5), "ben": (2, 9, 5), "carl": (3, 6, 5)}
    for name, (assignment, apples, pears) in ends.items():
        events = []
        for doc, end in (("apples", apples), ("pears", pears)):
            events += [("highlight", {"spans": [[0, end]]}, doc), ("bep", {"position": 0}, doc)]
            events += [("validate", {}, doc)]
        sent = [event(number, kind, body, doc=doc) for number, (kind, body, doc) in enumerate(events)]
        assert site.visitor(name).send(assignment, *sent).status_code == 200
    agreement = olga.get("/api/topics/1/agreement").json()
    assert [row["doc"] for row in agreement["documents"]] == ["apples", "pears"]
    assert [(row["one"], row["other"]) for row in agreement["pairs"]] == [
        ("anna", "ben"),
        ("anna", "carl"),
        ("ben", "carl"),
    ]
    assert agreement["topics"][0]["documents_alpha"] is None  # all documents are relevant to all
    assert 0.8 < agreement["topics"][0]["alpha"] < 1
    page = olga.get("/topics/1/compare").text
    assert "alpha, characters" in page
    assert page.index("doc=apples") < page.index("doc=pears")
    assert "Agreement of all 3 assessors" in olga.get("/topics/1/compare?one=anna&other=ben").text


def test_a_topic_whose_assessors_share_no_document_has_no_agreement(site):
    answer = site.visitor("olga").get("/api/topics/1/agreement").json()
    assert (answer["documents"], answer["pairs"], answer["assessors"]) == ([], [], ["anna", "ben"])
