"""The pages of organisers: what was done is confirmed, and what was refused is shown where it was entered."""

import pytest


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


def test_handing_over_is_confirmed_with_what_was_copied(site, event):
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
