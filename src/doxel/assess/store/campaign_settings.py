"""The settings of a campaign that organisers make in the browser: name, guidelines, topics and collection.

They are stored in the database, so that the server finds them when it starts again, and backups contain them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from doxel.assess.judging_events import is_text
from doxel.assess.store.database_schema import READINGS, SETTINGS, now
from doxel.errors import InputError
from doxel.files.file_format import recognise_format
from doxel.topics import Topics
from doxel.topics.topic_files import TOPIC_FORMATS

__all__ = [
    "CampaignSettings",
    "StoredTopics",
    "confirm_reading",
    "has_read_guidelines",
    "read_campaign_settings",
    "read_setting",
    "store_guidelines",
    "store_setting",
    "store_topics",
]

_LONGEST = {"name": 200, "guidelines": 200_000}  # characters


@dataclass(frozen=True)
class StoredTopics:
    """A file of topics that is kept in the database."""

    file: str
    text: str

    def read(self) -> Topics:
        """Parse the topics."""
        data = self.text.encode()
        return recognise_format(TOPIC_FORMATS, data, file=self.file, kind="topics").read(data, self.file)


@dataclass(frozen=True)
class CampaignSettings:
    """The settings of a campaign; each is empty or None until an organiser has made it.

    ``guidelines`` is Markdown, last changed at ``guidelines_at``.  ``collection`` is the folder of the
    collection that the server used last.
    """

    name: str = ""
    guidelines: str = ""
    guidelines_at: int = 0
    topics: StoredTopics | None = None
    collection: Path | None = None


def read_campaign_settings(connection: Connection) -> CampaignSettings:
    """Return the settings of the campaign."""
    rows = {row.name: row.value for row in connection.execute(select(SETTINGS))}
    topics = json.loads(rows["topics"]) if "topics" in rows else None
    return CampaignSettings(
        name=rows.get("name", ""),
        guidelines=rows.get("guidelines", ""),
        guidelines_at=int(rows.get("guidelines_at", "0")),
        topics=None if topics is None else StoredTopics(topics["file"], topics["text"]),
        collection=Path(rows["collection"]) if "collection" in rows else None,
    )


def read_setting(connection: Connection, name: str) -> str | None:
    """Return one setting as it is stored, None if it is not set."""
    return connection.execute(select(SETTINGS.c.value).where(SETTINGS.c.name == name)).scalar()


def store_setting(connection: Connection, name: str, value: str) -> None:
    """Store one setting; an empty value removes it."""
    most = _LONGEST.get(name)
    if most is not None and not is_text(value, most):
        wanted = f"a text of at most {most:,} characters"
        raise InputError(f"the {name} of the campaign", wanted=wanted, found=f"{len(value):,}")
    connection.execute(SETTINGS.delete().where(SETTINGS.c.name == name))
    if value:
        connection.execute(SETTINGS.insert().values(name=name, value=value))


def store_guidelines(connection: Connection, text: str) -> bool:
    """Store the guidelines; if they differ from before, everybody is asked to read them again."""
    if (read_setting(connection, "guidelines") or "") == text:
        return False
    store_setting(connection, "guidelines", text)
    store_setting(connection, "guidelines_at", str(now()) if text else "")
    return True


def store_topics(connection: Connection, file: str, data: bytes) -> Topics:
    """Check a file of topics, keep it in the database, and return its topics."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("topics", file=file, wanted="UTF-8", found=str(error)) from None
    if not is_text(text, len(text)):
        raise InputError("topics", file=file, wanted="text", found="characters that cannot be stored")
    stored_topics = StoredTopics(file, text)
    topics = stored_topics.read()
    store_setting(connection, "topics", json.dumps(vars(stored_topics), ensure_ascii=False))
    return topics


def has_read_guidelines(connection: Connection, user_id: int) -> bool:
    """Return whether there are no guidelines, or a user has confirmed to have read their present version."""
    changed_at = read_setting(connection, "guidelines_at")
    if changed_at is None:
        return True
    at = connection.execute(select(READINGS.c.at).where(READINGS.c.user_id == user_id)).scalar()
    return at is not None and at >= int(changed_at)


def confirm_reading(connection: Connection, user_id: int) -> None:
    """Record that a user has read the guidelines."""
    connection.execute(READINGS.delete().where(READINGS.c.user_id == user_id))
    connection.execute(READINGS.insert().values(user_id=user_id, at=now()))
