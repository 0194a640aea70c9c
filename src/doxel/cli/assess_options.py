"""What the commands of ``doxel assess`` share: where everything is, and which extra they need."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from doxel.assess.scales import SCALES
from doxel.cli.options import format_option
from doxel.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from doxel.assess.workplace import Workplace

__all__ = [
    "ASSESSOR",
    "CAMPAIGN",
    "COLLECTION",
    "DATABASE",
    "LAYOUT",
    "SCALE",
    "SCALE_NAMES",
    "TOPIC",
    "needs_web",
    "place_of",
]

Command = Callable[..., Any]

DATABASE = click.option(
    "--database",
    metavar="FILE|URL",
    help="SQLite in a file, or postgresql://...  Default: assess.sqlite, in the campaign's folder or here.",
)
CAMPAIGN = click.option("--campaign", metavar="DIR", help="The campaign's folder.")
COLLECTION = click.option(
    "-c", "--collection", metavar="COLLECTION", help="The documents.  Default: those of the campaign."
)


def needs_web(function: Command) -> Command:
    """Say which extra is missing, where one is, and what a database does not do."""

    @functools.wraps(function)
    def guarded(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] not in _WEB:
                raise
            raise MissingExtraError("doxel assess", "web") from None
        except Exception as error:
            problem = _of_database(error)
            if problem is None:
                raise
            raise InputError("the database does not do this", found=problem) from None

    return guarded


def _of_database(error: Exception) -> str | None:
    """Return what a database says is wrong, None where it is not the database that complains."""
    known = sys.modules.get("sqlalchemy.exc")  # who has not imported it cannot have got an error from it
    if known is None or not isinstance(error, known.DBAPIError):
        return None
    return str(error.orig).strip().splitlines()[0]


_WEB = {"starlette", "uvicorn", "jinja2", "sqlalchemy", "argon2", "anyio"}


def place_of(campaign: str | None, database: str | None, **more: Any) -> Workplace:
    """Return where everything is."""
    from doxel.assess.workplace import workplace

    return workplace(campaign, database=database, **more)


ASSESSOR = click.option(
    "--assessor", metavar="NAME", help="The pools of this person, instead of the official ones."
)
TOPIC = click.option(
    "--topic", "topics", multiple=True, metavar="ID", help="Only this topic; repeat for more."
)
SCALE_NAMES = [scale.name for scale in SCALES]
SCALE = click.option("--scale", type=click.Choice(SCALE_NAMES), help="Only pools of this scale.")
LAYOUT = format_option("table", "json", default="table", about="Tables to read, or JSON.")
