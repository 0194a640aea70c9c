"""The pages of organisers: changes are confirmed, and a refusal is shown at its form."""

import pytest

from assess.plain_pages import words


def follow(visitor, address, **fields):
    """Send a form, and return the page to which it leads."""
    answer = visitor.form(address, **fields)
    assert answer.status_code == 303, answer.text
    return visitor.get(answer.headers["location"]).text


@pytest.mark.parametrize(
    ("action", "notice"),
    [
        ("lock", "The assignment is locked: topic 1 of anna."),
        ("unlock", "The assignment is no longer locked: topic 1 of anna."),
        ("official", "The assignment is now official: topic 1 of anna."),
    ],
)
def test_changes_of_an_assignment_are_confirmed_once(site, action, notice):
    olga = site.visitor("olga")
    assert notice in follow(olga, "/organiser/assignments/1", action=action)
    assert notice not in olga.get("/organiser").text


def test_handing_over_is_confirmed_with_the_number_of_copied_documents(site, event):
    site.visitor("anna").send(1, event(1, "validate", {}))
    olga = site.visitor("olga")
    page = follow(olga, "/organiser/assignments/1", action="hand-over", assessor="carl", work="with")
    assert "carl continues topic 1 of anna with 1 document; the old assignment is locked." in page


def test_a_refused_hand_over_is_shown_at_its_form_with_the_choices_kept(site):
    olga = site.visitor("olga")
    fields = {"action": "hand-over", "assessor": "carl", "work": "without"}
    follow(olga, "/organiser/assignments/1", **fields)
    answer = olga.form("/organiser/assignments/2", action="hand-over", assessor="nobody", work="without")
    assert answer.status_code == 400
    before, _, after = answer.text.partition('<summary aria-label="Change assignment 2')
    assert before.rstrip().endswith("<details open>")
    details = after.partition("</details>")[0]
    assert 'role="alert"' in details
    assert 'value="without" checked' in details


def test_assigning_a_topic_is_confirmed_or_refused_on_the_page(site):
    olga = site.visitor("olga")
    fields = {"topic": "2", "assessor": "carl", "scale": "2006"}
    assert "Topic 2 is assigned to carl." in follow(olga, "/organiser/assignments", **fields)
    answer = olga.form("/organiser/assignments", **{**fields, "assessor": "nobody"})
    assert (answer.status_code, 'role="alert"' in answer.text) == (400, True)


def test_signing_out_is_confirmed(site):
    assert "You are signed out." in follow(site.visitor("anna"), "/sign-out")


def test_the_audit_log_has_dates_in_words_and_a_way_back_to_the_newest_lines(site):
    olga = site.visitor("olga")
    page = olga.get("/organiser/audit").text
    assert "Times are in UTC" in page
    assert "Newest" not in page
    assert 'href="/organiser/audit"' in olga.get("/organiser/audit?before=1").text.partition("<main")[2]


def test_the_api_and_the_pages_hand_over(site, event):
    olga, anna = site.visitor("olga"), site.visitor("anna")
    anna.send(1, event(1), event(2, "bep", {"position": 0}), event(3, "validate", {}))
    assert olga.post("/api/assignments/1/hand-over", {"assessor": "carl", "with_work": 1}).status_code == 400
    handed_over = olga.post("/api/assignments/1/hand-over", {"assessor": "carl", "with_work": True})
    assert (handed_over.status_code, handed_over.json()) == (201, {"id": 3, "documents": 1, "notes": []})
    assert anna.send(1, event(4, "reopen", {})).json()["error"]["code"] == "locked"
    carl = site.visitor("carl")
    assert carl.get("/api/assignments/3/states/apples").json()["state"]["highlights"] == [[0, 6]]
    answer = olga.form("/organiser/assignments/2", action="hand-over", assessor="olga", work="without")
    assert answer.status_code == 303
    assert olga.get("/api/assignments/4").json()["assessor"] == "olga"
    assert olga.form("/organiser/assignments/2", action="hand-over").status_code == 400


def test_an_organiser_runs_a_campaign(site, event):
    olga = site.visitor("olga")
    assert (
        olga.post(
            "/api/users", {"name": "Dora", "password": "a long password", "role": "assessor"}
        ).status_code
        == 201
    )
    assert "dora" in [user["name"] for user in olga.get("/api/users").json()["users"]]
    answer = olga.post("/api/assignments", {"topic": "2", "assessor": "dora", "scale": "2003"})
    assert (answer.status_code, answer.json()) == (201, {"id": 3})
    dora = site.visitor().sign_in("dora", "a long password")
    grades = {"exhaustivity": "2", "specificity": "3"}
    body = {"path": "/article[1]", "grades": grades}
    assert (
        dora.send(3, event(1, "grade", body, doc="plums"), event(2, "validate", {}, doc="plums")).status_code
        == 200
    )
    assert olga.post("/api/assignments/2/official").status_code == 204
    progress = olga.get("/api/progress").json()
    official = {
        (assignment["topic"], assignment["assessor"])
        for assignment in progress["assignments"]
        if assignment["official"]
    }
    assert official == {("1", "ben"), ("2", "dora")}
    assert [assignment["finished"] for assignment in progress["assignments"]] == [False, False, True]
    actions = [line["action"] for line in olga.get("/api/audit").json()["lines"]]
    assert actions[:3] == ["assignment made official", "signed in", "topic assigned"]
    assert olga.get("/api/audit?before=2").json()["lines"][0]["id"] == 1


@pytest.mark.parametrize(
    ("path", "data", "message"),
    [
        ("/api/users", {"name": "anna", "password": "a long password", "role": "assessor"}, "already exists"),
        ("/api/users", {"name": "e", "password": "short", "role": "assessor"}, "10 to 500 characters"),
        ("/api/users", {"name": "e", "password": "a long password", "role": "king"}, "assessor or organiser"),
        ("/api/users", {"name": "<e>", "password": "a long password", "role": "assessor"}, "letters, digits"),
        ("/api/users", {"name": "e"}, "an object with the keys name, password, role"),
        ("/api/users", {"name": 1, "password": "a long password", "role": "x"}, "name: wanted a text"),
        (
            "/api/assignments",
            {"topic": "9", "assessor": "anna", "scale": "2006"},
            "a topic with pooled documents",
        ),
        ("/api/assignments", {"topic": "1", "assessor": "nobody", "scale": "2006"}, "the name of a user"),
        ("/api/assignments", {"topic": "2", "assessor": "anna", "scale": "1"}, "one of 2006"),
        (
            "/api/assignments",
            {"topic": "2", "assessor": "anna", "scale": "2006", "snapping": "page"},
            "one of word, sentence, element, free",
        ),
        ("/api/assignments/1/locked", {"locked": "yes"}, "true or false"),
        ("/api/users/4/disabled", {"disabled": 1}, "true or false"),
    ],
)
def test_invalid_values_are_refused_with_a_sentence(site, path, data, message):
    answer = site.visitor("olga").post(path, data)
    assert answer.status_code == 400
    assert message in answer.json()["error"]["message"]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_an_organiser_runs_a_campaign_with_pages(enter, site):
    olga = enter("olga")
    assert "Topic 2 has no assessor." in words(olga.get("/organiser"))
    dora = {"name": "dora", "password": "a long password", "role": "assessor"}
    answer = olga.form("/organiser/users", **dora)
    assert answer.status_code == 303
    olga.form("/organiser/assignments", topic="2", assessor="dora", scale="2006")
    page = words(olga.get("/organiser"))
    assert "0 of 3 assignments are finished" in page
    assert "has no assessor" not in page
    dora = site.visitor().sign_in("dora", "a long password")
    plums = "/assignments/3/forms/plums"
    assert dora.form(plums, action="nothing").status_code == 303
    assert "1 of 3 assignments is finished" in words(olga.get("/organiser"))
    olga.form("/organiser/assignments/3", action="lock")
    assert "locked" in dora.form(plums, action="reopen").text
    olga.form("/organiser/assignments/3", action="unlock")
    assert dora.form(plums, action="reopen").status_code == 303
    olga.form("/organiser/assignments/2", action="official")
    assert "assignment made official" in words(olga.get("/organiser/audit"))
    olga.form("/organiser/users/5", action="password", password="another password")  # noqa: S106
    assert dora.get("/").status_code == 303
    dora.sign_in("dora", "another password")
    olga.form("/organiser/users/5", action="sign-out")
    assert dora.get("/").status_code == 303
    olga.form("/organiser/users/5", action="disable")
    assert "disabled" in words(olga.get("/organiser/users"))
    assert olga.form("/organiser/users/5", action="enable").status_code == 303
    assert olga.form("/organiser/users/5", action="promote").status_code == 400
    assert olga.form("/organiser/assignments/2", action="burn").status_code == 400
