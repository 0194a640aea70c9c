"""A campaign run with plain pages alone: forms and links, no scripts."""

import re
from dataclasses import replace
from importlib.resources import files

import pytest
from lxml import etree

from assess.conftest import PASSWORD
from doxel.assess.judging_events import EVENT_KINDS, BodyField
from doxel.assess.web.static_files import list_imports, make_static_address


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()


def tree(answer):
    assert answer.status_code == 200, answer.text
    return etree.HTML(answer.text)


def words(answer):
    return " ".join("".join(tree(answer).find(".//main").itertext()).split())


@pytest.fixture
def enter(site):
    """Signs a user in with the form, as a browser does."""

    def sign_in(name):
        visitor = site.visitor()
        assert visitor.get("/").headers["location"] == "/sign-in"
        word = re.search(r'name="word" value="([^"]+)"', visitor.get("/sign-in").text).group(1)
        answer = visitor.http.post("/sign-in", data={"name": name, "password": PASSWORD, "word": word})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        home = visitor.get("/")
        visitor.csrf = re.search(r'name="csrf" value="([^"]+)"', home.text).group(1)
        return visitor

    return sign_in


DOC = "/assignments/1/forms/apples"


def act(visitor, action, path=DOC, **fields):
    answer = visitor.form(path, action=action, **fields)
    assert answer.status_code == 303, answer.text
    return words(visitor.get(answer.headers["location"]))


def state(visitor, path="/api/assignments/1/states/apples"):
    return visitor.get(path).json()["state"]


def test_an_assessor_judges_with_forms(enter):
    anna = enter("anna")
    assert "Topic 1" in words(anna.get("/"))
    assert "0 of 2 documents are done" in words(anna.get("/assignments/1"))
    assert "Not done yet" in words(anna.get(DOC))
    assert "no best entry point" in act(anna, "highlight", quote="Red apples\nare ripe.")
    assert state(anna)["highlights"] == [[6, 26]]
    act(anna, "bep", quote="apples are")
    assert state(anna)["bep"] == 10
    assert "Done." in act(anna, "validate")
    html = anna.get(DOC).text
    assert "<mark>Red </mark>" in html
    assert 'class="bep"' in html
    act(anna, "unhighlight", start="6", end="10")
    assert state(anna)["highlights"] == [[10, 26]]
    assert not state(anna)["validated"]


def test_elements_entry_points_and_notes_with_forms(enter):
    anna = enter("anna")
    anna.http.post(DOC, data={"csrf": anna.csrf, "action": "highlight", "path": "/article[1]/sec[2]"})
    assert state(anna)["highlights"] == [[45, 67]]
    anna.http.post(DOC, data={"csrf": anna.csrf, "action": "bep", "path": "/article[1]/sec[1]/p[2]"})
    assert state(anna)["bep"] == 26
    anna.form(DOC, action="no-bep")
    assert state(anna)["bep"] is None
    anna.form(DOC, action="note", text="one\r\ntwo")
    assert state(anna)["note"] == "one\ntwo"
    assert "Found by systems" not in words(anna.get(DOC))
    anna.form(DOC, action="show")
    assert "/article[1]/sec[1]: characters 6 to 45" in words(anna.get(DOC))


def test_nothing_relevant_removes_all_marks_and_is_done(enter):
    anna = enter("anna")
    anna.form(DOC, action="highlight", quote="Red apples")
    anna.form(DOC, action="bep", quote="Red apples")
    anna.form(DOC, action="nothing")
    after = state(anna)
    assert (after["highlights"], after["bep"], after["validated"]) == ([], None, True)
    anna.form(DOC, action="reopen")
    assert not state(anna)["validated"]


@pytest.mark.parametrize("scale", ["2002", "2003", "2005"])
def test_grades_with_forms(enter, scale):
    olga, dora = enter("olga"), enter("carl")
    answer = olga.form("/organiser/assignments", topic="1", assessor="carl", scale=scale)
    assert answer.status_code == 303
    path, api = "/assignments/3/forms/apples", "/api/assignments/3/states/apples"
    if scale == "2005":
        dora.form(path, action="highlight", quote="Pears are no")
        assert "Best entry point" not in words(dora.get(path))
        assert "has no grade" in words(dora.get(path))
        grades = {"exhaustivity": "1"}
        elements = ["/article[1]", "/article[1]/sec[2]", "/article[1]/sec[2]/p[1]"]
    else:
        assert "/article[1]/sec[1] has no grade" in words(dora.get(path))
        coarse = {"relevance": "2", "coverage": "L"}
        grades = coarse if scale == "2002" else {"exhaustivity": "2", "specificity": "1"}
        elements = ["/article[1]/sec[1]"]
    for element in elements:
        dora.http.post(path, data={"csrf": dora.csrf, "action": "grade", "path": element, **grades})
    assert dora.form(path, action="validate").status_code == 303
    assert state(dora, api)["validated"]
    assert state(dora, api)["grades"] == dict.fromkeys(elements, grades)
    dora.form(path, action="nothing")
    assert state(dora, api)["validated"]


def test_nothing_relevant_grades_the_root_where_no_element_was_pooled(enter):
    """Also when another element was graded before."""
    olga, carl = enter("olga"), enter("carl")
    olga.form("/organiser/assignments", topic="2", assessor="carl", scale="2003")
    path, grades = "/assignments/3/forms/plums", {"exhaustivity": "1", "specificity": "1"}
    carl.form(path, action="grade", path="/article[1]/sec[1]", **grades)
    assert carl.form(path, action="nothing").status_code == 303
    zero = dict.fromkeys(grades, "0")
    judgement = state(carl, "/api/assignments/3/states/plums")
    assert (judgement["validated"], judgement["grades"]) == (
        True,
        {"/article[1]": zero, "/article[1]/sec[1]": zero},
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"action": "highlight", "quote": "apples"}, "text found several times"),
        ({"action": "highlight", "quote": "quinces"}, "text not found"),
        ({"action": "highlight", "path": "/book[1]"}, "the path of an element in this document"),
        ({"action": "bep", "start": "9999", "end": "10000"}, "67 characters"),
        ({"action": "paint"}, "an unknown action"),
        ({}, "an unknown action"),
    ],
)
def test_invalid_forms_are_refused_on_a_page(enter, fields, message):
    anna = enter("anna")
    answer = anna.http.post(DOC, data={"csrf": anna.csrf, **fields})
    assert answer.status_code in {400, 409}
    assert message in answer.text


@pytest.fixture
def mood(monkeypatch):
    """A version in which assessors who are done may say why, how they feel, and that they looked."""
    fields = (
        BodyField("reason", "text", "note", most=100, is_optional=True, default=""),
        BodyField("mood", "choice", "bep", values=("good", None), is_optional=True),
        BodyField("looked", "flag", "pooled_shown", is_optional=True, default=False),
    )
    monkeypatch.setitem(EVENT_KINDS, "validate", replace(EVENT_KINDS["validate"], body=fields))


@pytest.mark.usefixtures("mood")
@pytest.mark.parametrize("action", ["validate", "nothing"])
def test_forms_have_inputs_for_declared_fields_with_a_default(enter, action):
    anna = enter("anna")
    form = tree(anna.get(DOC)).find(f".//form/input[@value='{action}']/..")
    assert [node.get("name") for node in form.iterfind(".//label/*")] == ["reason", "mood", "looked"]
    assert [node.get("value") for node in form.iterfind(".//select/option")] == ["good", ""]
    assert form.find(".//option[@selected]").get("value") == ""
    anna.form(DOC, action=action, reason="short", mood="good", looked="yes")
    after = state(anna)
    assert (after["note"], after["bep"], after["pooled_shown"]) == ("short", "good", True)
    assert after["validated"]


@pytest.mark.usefixtures("mood")
def test_forms_without_the_inputs_leave_fields_at_their_default(enter):
    anna = enter("anna")
    anna.form(DOC, action="validate", mood="")
    after = state(anna)
    assert (after["note"], after["bep"], after["pooled_shown"], after["validated"]) == ("", None, False, True)
    refused = anna.form(DOC, action="validate", mood="bad")
    assert refused.status_code == 400
    assert "mood: wanted one of good, null" in refused.text


def test_an_organiser_runs_a_campaign_with_pages(enter, site):
    olga = enter("olga")
    assert "Topic 2 has no assessor." in words(olga.get("/organiser"))
    dora = {"name": "dora", "password": "a long password", "role": "assessor"}
    made = olga.form("/organiser/users", **dora)
    assert made.status_code == 303
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


def test_an_error_page_shows_who_is_signed_in(enter):
    page = enter("anna").get("/organiser")
    assert page.status_code == 403
    assert "Sign out" in page.text


def test_finishers_can_compare_from_the_assignments_of_others(enter, site, event):
    anna, ben = enter("anna"), enter("ben")
    ben_done = [event(1, "validate", {}), event(2, "validate", {}, doc="pears")]
    assert "compare" not in words(ben.get("/assignments/2"))
    assert site.visitor("ben").send(2, *ben_done).status_code == 200
    for address in ("/assignments/2", "/assignments/1"):
        assert "compare" in words(ben.get(address))
    assert "compare" not in words(anna.get("/assignments/1"))


def test_users_change_their_password_and_sign_out_with_forms(enter):
    anna, ben = enter("anna"), enter("ben")
    answer = anna.form("/password", old=PASSWORD, new="another password")
    assert answer.headers["location"] == "/sign-in"
    assert anna.get("/").status_code == 303
    assert ben.form("/sign-out").headers["location"] == "/sign-in"
    assert ben.get("/").status_code == 303


def test_only_static_files_of_the_package_are_served(site):
    visitor = site.visitor()
    kinds = {
        "style.css": "text/css; charset=utf-8",
        "view/styles.json": "application/json",
        "judge/judging_page.js": "text/javascript; charset=utf-8",
        "icon.svg": "image/svg+xml",
    }
    for name, kind in kinds.items():
        answer = visitor.get(make_static_address(name))
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
        assert answer.content == files("doxel.assess").joinpath("static", name).read_bytes()
    for base in ("/static/", "/static/0123456789abcdef/", make_static_address("")):
        for name in (
            "",
            "nothing.css",
            "view",
            "view/",
            "view/nothing.js",
            "..%2Fapp.py",
            "%2e%2e/app.py",
            "view/../../app.py",
            "style.css%00",
            "../templates/judge.html",
            "view%5Cstyles.json",
            "x" * 5000,
        ):
            assert visitor.get(base + name).status_code == 404, base + name


def test_a_file_of_this_version_may_be_kept_for_ever(site):
    visitor = site.visitor()
    address = make_static_address("style.css")
    answer = visitor.get(address)
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    etag = answer.headers["etag"]
    for header, status in [(etag, 304), (f'"x", W/{etag}', 304), ('"x"', 200)]:  # proxies make them weak
        again = visitor.get(address, headers={"if-none-match": header})
        assert (again.status_code, again.content) == (status, b"" if status == 304 else answer.content)
    assert again.headers["cache-control"] == answer.headers["cache-control"]
    assert visitor.get(make_static_address("nothing.css")).headers["cache-control"] == "no-store"
    assert visitor.http.post(address).status_code == 405


def test_an_address_without_the_digest_of_this_version_leads_to_it(site):
    visitor = site.visitor()
    for base in ("/static/", "/static/0123456789abcdef/"):
        answer = visitor.get(f"{base}judge/judging_page.js")
        assert answer.status_code == 307
        assert answer.headers["location"] == make_static_address("judge/judging_page.js")
        assert answer.headers["cache-control"] == "no-store"


def test_pages_load_all_modules_at_once(enter):
    """Every module that the script imports, directly or not, has a link; all files that pages name exist."""
    anna = enter("anna")
    for path, script in (
        ("/assignments/1/documents/apples", "judge/judging_page.js"),
        ("/", "work/leftovers.js"),
        ("/help", "help/help_page.js"),
    ):
        page = tree(anna.get(path))
        links = [link.get("href") for link in page.iterfind(".//link[@rel='modulepreload']")]
        assert make_static_address(script) in [node.get("src") for node in page.iterfind(".//script")]
        assert set(list_imports(script)) <= set(links)
        assert len(links) == len(set(links))
        named = [*links, *(link.get("href") for link in page.iterfind(".//link[@rel='stylesheet']"))]
        assert {anna.get(address).status_code for address in named} == {200}


def test_the_judging_page_has_its_data_and_links_to_the_forms(enter):
    anna, olga = enter("anna"), enter("olga")
    body = tree(anna.get("/assignments/1/documents/apples")).find("body")
    assert {name: value for name, value in body.attrib.items() if name != "class"} == {
        "data-user": "anna",
        "data-account": anna.get("/api/session").json()["account"],
        "data-csrf": anna.csrf,
        "data-assignment": "1",
        "data-doc": "apples",
        "data-mine": "yes",
        "data-parts": "hidden",
    }
    assert body.find(".//noscript//a").get("href") == "/assignments/1/forms/apples"
    assert tree(olga.get("/assignments/1/documents/apples")).find("body").get("data-mine") == "no"
    assert anna.get("/assignments/1/documents/plums").status_code == 404
