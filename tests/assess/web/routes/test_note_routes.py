"""The page of notes and flags: for organisers, with links to the documents."""


def test_an_organiser_sees_notes_and_flags_with_links_and_can_filter(site, event):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    assert "There are no notes and no flags" in olga.get("/organiser/notes").text
    anna.send(
        1,
        event(1, "note", {"text": "<b>half</b> a sentence is missing"}),
        event(2, "flag", {"flagged": True}, doc="pears"),
    )
    page = olga.get("/organiser/notes").text
    assert "&lt;b&gt;half&lt;/b&gt; a sentence is missing" in page
    assert page.index("/assignments/1/documents/pears") < page.index("/assignments/1/documents/apples")
    assert "documents/apples" not in olga.get("/organiser/notes?flagged=1").text
    assert "on topic 2" in olga.get("/organiser/notes?topic=2").text
    notes = olga.get("/api/notes").json()["notes"]
    assert [(note["doc"], note["flagged"], note["assessor"]) for note in notes] == [
        ("pears", True, "anna"),
        ("apples", False, "anna"),
    ]
    assert anna.get("/organiser/notes").status_code == 403


def test_many_notes_come_in_pages(site, event, monkeypatch):
    monkeypatch.setattr("doxel.assess.web.routes.note_routes._AT_ONCE", 1)
    site.visitor("anna").send(
        1, event(1, "note", {"text": "one"}), event(2, "note", {"text": "two"}, doc="pears")
    )
    olga = site.visitor("olga")
    assert "next ›" in olga.get("/organiser/notes").text
    second = olga.get("/organiser/notes?from=1").text
    assert "‹ previous" in second
    assert "two" in second
    assert olga.get("/organiser/notes?from=x").status_code == 400
