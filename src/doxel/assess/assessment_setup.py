"""The setup of an assessment: its database, collection, topics, pool files and styles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from doxel.assess.document_styles import Styles, read_styles
from doxel.assess.store.campaign_settings import read_campaign_settings
from doxel.assess.store.database import Store, open_store
from doxel.assess.store.pooled_documents import Library, add_pooled_documents, bind_collection
from doxel.campaign.campaign import SITE_DATABASE
from doxel.campaign.configuration import read_campaign
from doxel.documents import read_collection
from doxel.errors import InputError
from doxel.pooling import read_pool
from doxel.topics import Topics, read_topics

__all__ = ["DATABASE_NAME", "STYLES_NAME", "AssessmentSetup", "read_setup"]

DATABASE_NAME = SITE_DATABASE
"""The default name of the database file."""

STYLES_NAME = "styles.json"
"""The name of the styles file in the campaign's folder."""


@dataclass(frozen=True)
class AssessmentSetup:
    """The files of an assessment: database, collection, topics, pools and styles."""

    database: str
    collection: Path | None = None
    topics: tuple[Path, ...] = ()
    pools: tuple[Path, ...] = ()
    fingerprint: str | None = None
    styles: Path | None = None

    def store(self, *, create: bool = True) -> Store:
        """Open the database."""
        return open_store(self.database, create=create)

    def library(self) -> Library:
        """Open the collection; without one, that of the database's last server."""
        folder = self.collection or self._find_last_collection()
        if folder is None:
            raise InputError("no collection", wanted="--campaign DIR or -c COLLECTION", found="neither")
        collection = read_collection(folder)
        if self.fingerprint not in {None, collection.fingerprint}:
            raise InputError(
                "the collection differs from the campaign's",
                file=str(folder),
                wanted=f"the fingerprint {self.fingerprint}",
                found=collection.fingerprint,
            )
        return Library(collection)

    def find_library(self) -> Library:
        """Open the collection if there is one, else return an empty library: the server is set up later."""
        has_collection = self.collection is not None or self._find_last_collection() is not None
        return self.library() if has_collection else Library(None)

    def _find_last_collection(self) -> Path | None:
        """Return the collection that the server used last with this database, if it is still there."""
        is_file = "://" not in self.database
        if is_file and not Path(self.database).exists():
            return None
        with self.store(create=False) as store, store.read() as connection:
            folder = read_campaign_settings(connection).collection
        return folder if folder is not None and folder.exists() else None

    def read_topics(self, store: Store | None = None) -> Topics | None:
        """Read the topics from the given files, else from the database; None if there are none."""
        if self.topics or store is None:
            return read_topics(list(self.topics)) if self.topics else None
        with store.read() as connection:
            stored_topics = read_campaign_settings(connection).topics
        return None if stored_topics is None else stored_topics.read()

    def read_styles(self) -> Styles:
        """Read the bundled styles, with those of the styles file if there is one."""
        return read_styles(self.styles)

    def prepare(self, store: Store, library: Library) -> int:
        """Bind the database to the collection, add the pooled documents, and return how many are new."""
        if library.is_empty and not self.pools:
            return 0
        pools = [read_pool(path) for path in self.pools]
        for pool in pools:
            pool.require(library.collection)
        with store.write() as connection:
            bind_collection(connection, library)
            return sum(add_pooled_documents(connection, library, pool) for pool in pools)


def read_setup(
    campaign: str | None = None,
    *,
    database: str | None = None,
    collection: str | None = None,
    topics: Sequence[str] = (),
    pools: Sequence[str] = (),
    styles: str | None = None,
) -> AssessmentSetup:
    """Return the files of an assessment; files given one by one override those of the campaign."""
    if campaign is None:
        return AssessmentSetup(
            database=database or DATABASE_NAME,
            collection=None if collection is None else Path(collection),
            topics=tuple(map(Path, topics)),
            pools=tuple(map(Path, pools)),
            styles=None if styles is None else Path(styles),
        )
    configuration = read_campaign(campaign)
    own_styles = configuration.folder / STYLES_NAME
    return AssessmentSetup(
        database=database or str(configuration.folder / DATABASE_NAME),
        collection=configuration.collection if collection is None else Path(collection),
        topics=tuple(map(Path, topics)) or tuple(configuration.topic_files),
        pools=tuple(map(Path, pools)) or ((configuration.pool,) if configuration.pool.exists() else ()),
        fingerprint=configuration.fingerprint if collection is None else None,
        styles=Path(styles) if styles is not None else own_styles if own_styles.exists() else None,
    )
