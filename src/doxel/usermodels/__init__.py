"""User models: how likely a user who looks at a result reaches a target.

How data flows through this room:

1. :mod:`~doxel.usermodels.browsing_models` takes columns of results and targets, and gives the probability
   that each result leads to each target.
2. :mod:`~doxel.usermodels.target_discovery` combines these probabilities rank by rank: which targets a
   user has seen, and how many.

To add a model, declare it in ``browsing_models`` and add it to ``MODELS``.  Functions that
``@doxel.user_model`` marks are in ``CUSTOM_MODELS``.
"""

from collections.abc import Callable
from typing import Any

from doxel.usermodels.browsing_models import (
    BEP_DISTANCE,
    IDENTITY,
    INEX2003,
    NEAR_MISSES,
    UserModel,
    join_near_misses,
)

__all__ = ["CUSTOM_MODELS", "MODELS", "UserModel", "find_model"]

MODELS: dict[str, UserModel] = {
    model.name: model for model in (IDENTITY, *NEAR_MISSES, BEP_DISTANCE, INEX2003)
}
CUSTOM_MODELS: dict[str, Callable[..., Any]] = {}  # that users have marked as models, by name


def find_model(name: str) -> UserModel | None:
    """Return a model by name, or near misses joined as in ``parent(.5)+child(.2)``; None if it is unknown."""
    return join_near_misses(name) if set(name) & set("(+)") else MODELS.get(name)
