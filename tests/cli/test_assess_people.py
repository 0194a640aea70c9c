"""The commands for people and their work: accounts, invitations, assignments."""

import json
import re

from cli.assess_users import add
from documents.commands import doxel


def test_users_are_added_changed_listed_and_disabled(files, database, tmp_path):
    assert add(files, database).messages == ["doxel: olga can sign in as organiser"]
    assert add(files, database, "Anna", "assessor").status == 0
    again = add(files, database, "ANNA", "assessor")
    assert (again.status, again.messages) == (
        2,
        ["doxel: user name already exists: 'anna'"],
    )
    listed = doxel("assess", "user", "list", "--database", database)
    assert re.search(r"anna\s+assessor\s+no", listed.out)
    assert "argon2" not in listed.out
    (tmp_path / "new").write_text("another password")
    options = ("--database", database, "--password-file", tmp_path / "new")
    changed = doxel("assess", "user", "passwd", "anna", *options)
    assert changed.messages == ["doxel: changed the password of anna"]
    assert doxel("assess", "user", "disable", "anna", "--database", database).status == 0
    assert re.search(r"anna\s+assessor\s+yes", doxel("assess", "user", "list", "--database", database).out)
    enabled = doxel("assess", "user", "disable", "anna", "--enable", "--database", database)
    assert enabled.messages == ["doxel: anna can sign in again"]
    unknown = doxel("assess", "user", "disable", "bob", "--database", database)
    assert (unknown.status, "found 'bob'" in unknown.err) == (2, True)


def test_an_invalid_password_is_rejected_and_no_database_is_created(database, tmp_path):
    (tmp_path / "short").write_text("short\n")
    (tmp_path / "no text").write_bytes(b"\xff" * 20)
    for file, message in (
        ("short", "a password: wanted 10 to 500 characters, found 5"),
        ("no text", f"{tmp_path / 'no text'}, line 1: wanted UTF-8 text, found byte 0xff"),
        ("nothing", f"{tmp_path / 'nothing'}: cannot be read: no such file or directory"),
    ):
        outcome = doxel(
            *("assess", "user", "add", "x", "--database", database, "--password-file", tmp_path / file)
        )
        assert (outcome.status, outcome.messages) == (2, [f"doxel: {message}"])
    assert not database.exists()


def test_topics_are_assigned_locked_and_handed_over(files, database):
    for name, role in (("olga", "organiser"), ("anna", "assessor"), ("ben", "assessor")):
        add(files, database, name, role)
    where = ("--database", database)
    unknown = doxel("assess", "assignment", "give", "1", "--assessor", "anna", *where)
    assert (unknown.status, "a topic with pooled documents, added with --pool" in unknown.err) == (2, True)
    assigned = doxel("assess", "assignment", "give", "1", "--assessor", "Anna", "--campaign", files, *where)
    assert assigned.messages[1:] == ["doxel: assignment 1: topic 1, assigned to anna"]
    twice = doxel("assess", "assignment", "give", "1", "1", "--assessor", "ben", *where)
    assert (twice.status, "one who already has this topic" in twice.err) == (2, True)
    scaled = ("--scale", "2005", "--snapping", "sentence")
    assert doxel("assess", "assignment", "give", "1", "--assessor", "ben", *scaled, *where).status == 0
    listed = json.loads(doxel("assess", "assignment", "list", "-f", "json", *where).out)["assignments"]
    assert [(entry["id"], entry["scale"], entry["snapping"], entry["official"]) for entry in listed] == [
        (1, "2006", "word", True),
        (2, "2005", "sentence", False),
    ]
    official = doxel("assess", "assignment", "official", "2", *where)
    assert official.messages == ["doxel: assignment 2: topic 1 of ben: official"]
    locked = doxel("assess", "assignment", "lock", "1", "2", *where)
    assert [line.rpartition(" ")[2] for line in locked.messages] == ["locked", "locked"]
    assert doxel("assess", "assignment", "unlock", "1", *where).messages == [
        "doxel: assignment 1: topic 1 of anna: unlocked"
    ]
    handed = doxel(
        *("assess", "assignment", "hand-over", "2", "--assessor", "olga", "--with-work", *where),
        *("-c", files / "collection.doxel"),
    )
    assert (handed.status, handed.messages) == (
        0,
        ["doxel: assignment 2 is locked; olga continues in assignment 3 with 0 documents"],
    )
    listing = doxel("assess", "assignment", "list", *where).out
    assert re.search(r"3\s+1\s+olga\s+2005\s+sentence\s+0\s+1\s+official", listing)
    assert re.search(r"2\s+1\s+ben\s+2005\s+sentence\s+0\s+1\s+locked", listing)
    assert doxel("assess", "assignment", "lock", "9", *where).status == 2
    no_number = doxel("assess", "assignment", "lock", "abc", *where)
    assert (no_number.status, "'abc' is not a valid number of an assignment" in no_number.err) == (2, True)
    assert doxel("assess", "pool", "list", *where).out == listing  # the old name, for scripts
    assert doxel("assess", "pool", "unlock", "2", *where).messages == [
        "doxel: assignment 2: topic 1 of ben: unlocked"
    ]


def test_the_old_name_of_assignments_is_not_in_the_help():
    _, commands = doxel("assess", "--help").out.split("Commands:\n")
    names = [line.split()[0] for line in commands.splitlines()]
    assert "assignment" in names
    assert "pool" not in names


def test_people_are_invited_and_removed_on_the_command_line(tmp_path):
    database = ("--database", tmp_path / "site.sqlite")
    invited = doxel("assess", "user", "invite", "gina", "--url", "https://assess.example.org/", *database)
    assert invited.status == 0, invited.err
    assert invited.out.startswith("https://assess.example.org/invitations/")
    again = doxel("assess", "user", "invite", "gina", *database)
    assert again.out.startswith("http://127.0.0.1:8080/invitations/")
    removed = doxel("assess", "user", "remove", "gina", *database)
    assert "its judgements stay under the name former-1" in removed.err
    assert "gina" not in doxel("assess", "user", "list", *database).out


def test_an_invitation_needs_an_address_that_a_browser_can_open(tmp_path):
    database = ("--database", tmp_path / "site.sqlite")
    outcome = doxel("assess", "user", "invite", "gina", "--url", "assess.example.org", *database)
    assert (outcome.status, outcome.out) == (2, "")
    wanted = "wanted an address such as https://assess.example.org, found 'assess.example.org'"
    assert outcome.messages == [f"doxel: --url: {wanted}"]
