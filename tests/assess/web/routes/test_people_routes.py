"""People: they are invited, get new links, and can be removed; their judgements stay under a pseudonym."""

import gzip
import json
import re

import pytest
from sqlalchemy import select

from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.backup import BACKUP_TABLES, restore_backup, write_backup
from doxel.assess.store.database import open_store
from doxel.assess.store.database_schema import AUDIT, USERS


def test_an_invitation_is_shown_once_as_a_whole_address(site):
    olga = site.visitor("olga")
    page = olga.form("/organiser/users", name="Gina", role="assessor")
    (link,) = re.findall(r'value="(http://127.0.0.1:[0-9]+/invitations/[^"]+)"', page.text)
    assert site.visitor().get(link).status_code == 200
    assert "/invitations/" not in olga.get("/organiser/users").text
    assert "invited until" in olga.get("/organiser/users").text


def test_topics_can_be_assigned_before_the_invitation_is_accepted(site):
    olga = site.visitor("olga")
    olga.post("/api/invitations", {"name": "gina", "role": "assessor"})
    answer = olga.post("/api/assignments", {"topic": "2", "assessor": "gina", "scale": "2006"})
    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": "anna", "role": "assessor"}, "user name already exists"),
        ({"name": "Gi na", "role": "assessor"}, "at most 80 letters"),
        ({"name": "gina", "role": "king"}, "assessor or organiser"),
        ({"name": "former-9", "role": "assessor"}, "does not begin with former-"),
        ({"name": "gina", "role": "assessor", "password": "short"}, "10 to 500 characters"),
    ],
)
def test_errors_are_shown_on_the_page_and_keep_the_input(site, fields, message):
    answer = site.visitor("olga").form("/organiser/users", **fields)
    assert answer.status_code == 400
    assert message in answer.text
    assert f'value="{fields["name"]}"' in answer.text


def everything(store):
    """Return all rows as text, table by table."""
    with store.read() as connection:
        return str([sorted(map(str, connection.execute(select(table)))) for table in BACKUP_TABLES])


def test_a_removed_person_leaves_judgements_and_no_name(site, event):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    assert anna.send(1, event(1, "validate", {})).status_code == 200
    olga.post("/api/assignments/1/locked", {"locked": True})
    assert olga.delete("/api/users/1").json() == {"name": "former-1"}
    assert "anna" not in everything(site.service.store)
    with site.service.store.read() as connection:
        (first, _) = list_assignments(connection)
        assert (first.assessor, first.validated) == ("former-1", 1)
        row = connection.execute(select(USERS).where(USERS.c.id == 1)).one()
        assert (row.name, row.role, row.disabled) == ("former-1", "assessor", True)
        details = connection.execute(select(AUDIT.c.detail)).scalars().all()
    assert "assignment 1: topic 1 of former-1" in details
    assert anna.get("/api/session").status_code == 401
    answer = site.visitor().http.post("/api/session", json={"name": "former-1", "password": "x"})
    assert answer.status_code == 401
    assert "former-1" not in olga.get("/organiser/users").text
    assert "1 person was removed" in olga.get("/organiser/users").text


def list_items(annotations):
    """Return the annotations of a file without ids, which are made of names and contents."""
    items = json.loads(re.sub("urn:uuid:[0-9a-f-]+", "", annotations))["items"]
    return sorted(json.dumps(item, sort_keys=True) for item in items)


def test_backups_and_exports_made_later_have_the_pseudonym_alone(site, event, library, tmp_path):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    spans, point = event(1), event(2, "bep", {"position": 0})
    assert anna.send(1, spans, point, event(3, "validate", {})).status_code == 200
    before = olga.get("/api/export?format=web-annotation").text
    assert '"anna"' in before
    olga.delete("/api/users/1")
    after = olga.get("/api/export?format=web-annotation").text
    assert "anna" not in after
    assert list_items(after) == list_items(before.replace('"anna"', '"former-1"'))
    write_backup(site.service.store, tmp_path / "site.backup")
    assert b"anna" not in gzip.decompress((tmp_path / "site.backup").read_bytes())
    with open_store(tmp_path / "again.sqlite") as again:
        restore_backup(again, tmp_path / "site.backup", library)
        assert everything(again) == everything(site.service.store)


def test_names_that_contain_the_removed_one_are_kept_in_the_audit_log(site):
    olga = site.visitor("olga")
    for name in ("ann", "anna.b", "anna"):
        olga.post("/api/invitations", {"name": name, "role": "assessor"})
    users = {user["name"]: user["id"] for user in olga.get("/api/users").json()["users"]}
    olga.delete(f"/api/users/{users['ann']}")
    olga.delete(f"/api/users/{users['anna']}")
    with site.service.store.read() as connection:
        details = connection.execute(select(AUDIT.c.detail)).scalars().all()
    assert "anna.b (assessor)" in details
    assert f"former-{users['ann']} (assessor)" in details


def test_the_form_removes_only_with_a_confirmation(site):
    olga = site.visitor("olga")
    answer = olga.form("/organiser/users/1", action="remove")
    assert (answer.status_code, "your confirmation" in answer.text) == (400, True)
    assert olga.form("/organiser/users/1", action="remove", confirm="yes").status_code == 303
    assert "the judgements stay under a pseudonym" in olga.get("/organiser/users").text


def test_neither_oneself_nor_a_removed_person_can_be_removed_or_enabled(site):
    olga = site.visitor("olga")
    number = next(user["id"] for user in olga.get("/api/users").json()["users"] if user["name"] == "olga")
    assert "your own" in olga.delete(f"/api/users/{number}").text
    olga.delete("/api/users/1")
    assert olga.delete("/api/users/1").status_code == 400
    assert olga.post("/api/users/1/disabled", {"disabled": False}).status_code == 400
    assert olga.post("/api/users/1/invitation").status_code == 400
    assert olga.delete("/api/users/99").status_code == 404


def test_the_last_organiser_cannot_be_removed_on_the_command_line(site):
    from doxel.assess.office.administration import remove_user, require_user
    from doxel.errors import InputError

    with site.service.store.write() as connection, pytest.raises(InputError, match="the last one"):
        remove_user(connection, "x", require_user(connection, "olga"), "x")
