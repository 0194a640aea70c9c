"""Invitations are valid once, until they expire, and cannot be guessed."""

import threading

import pytest
from sqlalchemy import select, update

from doxel.assess.store.accounts import add_user, change_password, find_credentials, set_disabled
from doxel.assess.store.database_schema import INVITATIONS
from doxel.assess.store.invitations import (
    create_invitation,
    find_invitation,
    list_open_invitations,
    use_invitation,
)
from doxel.errors import RefusedError

NEW = "a new hash"


@pytest.fixture
def anna(store):
    with store.write() as connection:
        return add_user(connection, "anna", "none")


def test_an_invitation_sets_the_password_once(store, anna):
    with store.write() as connection:
        token = create_invitation(connection, anna)
    with store.write() as connection:
        assert use_invitation(connection, token, NEW).name == "anna"
        assert find_credentials(connection, "anna").password_hash == NEW
    with store.write() as connection, pytest.raises(RefusedError, match="was used already"):
        use_invitation(connection, token, "another hash")
    with store.read() as connection:
        assert find_credentials(connection, "anna").password_hash == NEW


def test_only_one_of_many_simultaneous_uses_succeeds(store, anna):
    with store.write() as connection:
        token = create_invitation(connection, anna)
    outcomes = []

    def use(number):
        try:
            with store.write() as connection:
                use_invitation(connection, token, f"hash {number}")
            outcomes.append(number)
        except RefusedError:
            pass

    threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 1


def test_an_invitation_expires(store, anna):
    with store.write() as connection:
        token = create_invitation(connection, anna)
        assert find_invitation(connection, token).user.id == anna
        connection.execute(update(INVITATIONS).values(expires=1))
        assert find_invitation(connection, token) is None
        assert list_open_invitations(connection) == {}
        with pytest.raises(RefusedError):
            use_invitation(connection, token, "x")


def test_the_database_does_not_hold_the_token(store, anna):
    with store.write() as connection:
        token = create_invitation(connection, anna)
        (row,) = connection.execute(select(INVITATIONS)).all()
    assert len(token) >= 43  # 256 bits: cannot be guessed
    assert token not in str(tuple(row))


@pytest.mark.parametrize("guess", ["", "x", "ä", "0" * 64])
def test_a_guess_is_not_an_invitation(store, anna, guess):
    with store.write() as connection:
        create_invitation(connection, anna)
        assert find_invitation(connection, guess) is None


def test_a_hash_from_the_database_is_not_a_token(store, anna):
    with store.write() as connection:
        create_invitation(connection, anna)
        stored = connection.execute(select(INVITATIONS.c.token_hash)).scalar()
        assert find_invitation(connection, stored) is None


@pytest.mark.parametrize(
    "end",
    [
        create_invitation,
        lambda connection, anna: change_password(connection, anna, "x"),
        lambda connection, anna: set_disabled(connection, anna, disabled=True),
    ],
    ids=["a new one", "a new password", "a disabled account"],
)
def test_an_invitation_ends_with(store, anna, end):
    with store.write() as connection:
        token = create_invitation(connection, anna)
        end(connection, anna)
        assert find_invitation(connection, token) is None
