"""Where an assessment's parts are: named by a campaign, or one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from doxel.assess.library import Library
from doxel.assess.pooled import add_pooled, remember_collection
from doxel.assess.store import Store, open_store
from doxel.assess.styles import Styles, read_styles
from doxel.campaign.configuration import read_campaign
from doxel.documents import read_collection
from doxel.errors import InputError
from doxel.pooling import read_pool
from doxel.topics import Topics, read_topics

__all__ = ["DATABASE", "STYLES", "Workplace", "workplace"]

DATABASE = "assess.sqlite"
"""The name of the database, where none is named."""

STYLES = "styles.json"
"""The name of the file in the campaign's folder that says how documents look."""


@dataclass(frozen=True)
class Workplace:
    """The collection, the topics, the pools and the database of an assessment."""

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
        """Open the collection."""
        if self.collection is None:
            raise InputError("no collection", wanted="--campaign DIR or -c COLLECTION", found="neither")
        opened = read_collection(self.collection)
        if self.fingerprint not in {None, opened.fingerprint}:
            raise InputError(
                "not the texts of the campaign",
                file=str(self.collection),
                wanted=f"the fingerprint {self.fingerprint}",
                found=opened.fingerprint,
            )
        return Library(opened)

    def read_topics(self) -> Topics | None:
        """Read the topics, None where there are none."""
        return read_topics(list(self.topics)) if self.topics else None

    def read_styles(self) -> Styles:
        """Read how documents look: the bundled styles, with those of a file of one's own."""
        return read_styles(self.styles)

    def prepare(self, store: Store, library: Library) -> int:
        """Bind the database to the collection, and add what the pools have; return how many are new."""
        read = [read_pool(path) for path in self.pools]
        for pool in read:
            pool.require(library.collection)
        with store.write() as connection:
            remember_collection(connection, library)
            return sum(add_pooled(connection, library, pool) for pool in read)


def workplace(
    campaign: str | None = None,
    *,
    database: str | None = None,
    collection: str | None = None,
    topics: Sequence[str] = (),
    pools: Sequence[str] = (),
    styles: str | None = None,
) -> Workplace:
    """Return where everything is; what is named by itself counts before what the campaign says."""
    found = None if campaign is None else read_campaign(campaign)
    if found is None:
        return Workplace(
            database=database or DATABASE,
            collection=None if collection is None else Path(collection),
            topics=tuple(map(Path, topics)),
            pools=tuple(map(Path, pools)),
            styles=None if styles is None else Path(styles),
        )
    beside = found.folder / STYLES
    return Workplace(
        database=database or str(found.folder / DATABASE),
        collection=found.collection if collection is None else Path(collection),
        topics=tuple(map(Path, topics)) or tuple(found.topic_files),
        pools=tuple(map(Path, pools)) or ((found.pool,) if found.pool.exists() else ()),
        fingerprint=found.fingerprint if collection is None else None,
        styles=Path(styles) if styles is not None else beside if beside.exists() else None,
    )
