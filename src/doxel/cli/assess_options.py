"""Options that the commands of ``doxel assess`` share, and the check for the extra they need."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

import click

from doxel.assess.scales import SCALES
from doxel.cli.options import Command, Decorator, format_option
from doxel.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from doxel.assess.assessment_setup import AssessmentSetup

__all__ = [
    "ASSESSOR",
    "CAMPAIGN",
    "COLLECTION",
    "DATABASE",
    "LAYOUT",
    "POOL",
    "PORT",
    "SCALE",
    "TOPIC",
    "find_workplace",
    "needs_web",
    "scale_option",
]

DATABASE = click.option(
    "--database",
    metavar="FILE|URL",
    help="A SQLite file, or postgresql://...  Default: assess.sqlite in the campaign's or current folder.",
)
CAMPAIGN = click.option("--campaign", metavar="DIR", help="The folder of the campaign.")
COLLECTION = click.option(
    "-c",
    "--collection",
    metavar="COLLECTION",
    help="The documents, made by 'doxel ingest'.  Default: the collection of the campaign.",
)
POOL = click.option(
    "--pool",
    "pools",
    multiple=True,
    metavar="POOL",
    help="The documents to judge, a file written by 'doxel pool'.",
)
PORT = click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    default=8080,
    show_default=True,
    help="The port; 0 for any free port.",
)


def needs_web(function: Command) -> Command:
    """Turn errors of missing packages and of the database into our own errors."""

    @functools.wraps(function)
    def guarded(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] not in _WEB:
                raise
            raise MissingExtraError("doxel assess", "web") from None
        except Exception as error:
            problem = _describe_database_error(error)
            if problem is None:
                raise
            raise InputError("the database reports an error", found=problem) from None

    return guarded


def _describe_database_error(error: Exception) -> str | None:
    """Return the message of a database error, None for other errors."""
    sqlalchemy = sys.modules.get("sqlalchemy.exc")  # if it is not imported, the error is not from it
    if sqlalchemy is None or not isinstance(error, sqlalchemy.DBAPIError):
        return None
    return str(error.orig).strip().splitlines()[0]


_WEB = {"starlette", "uvicorn", "jinja2", "sqlalchemy", "argon2", "anyio"}


def find_workplace(campaign: str | None, database: str | None, **more: Any) -> AssessmentSetup:
    """Return the paths of a campaign or of a single database."""
    from doxel.assess.assessment_setup import read_setup

    return read_setup(campaign, database=database, **more)


ASSESSOR = click.option(
    "--assessor", metavar="NAME", help="Use the assignments of this user, instead of the official ones."
)
TOPIC = click.option(
    "--topic", "topics", multiple=True, metavar="ID", help="Use only this topic; can be repeated."
)
_SCALE_NAMES = [scale.name for scale in SCALES]
SCALE = click.option(
    "--scale", type=click.Choice(_SCALE_NAMES), help="Use only assignments with this relevance scale."
)


def scale_option(about: str) -> Decorator:
    """Make the option for the scale of new assignments."""
    return click.option(
        "--scale",
        type=click.Choice(_SCALE_NAMES),
        default=_SCALE_NAMES[0],
        show_default=True,
        help=about,
    )


LAYOUT = format_option("table", "json", default="table", about="Print tables or JSON.")
