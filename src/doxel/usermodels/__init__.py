"""User models: how likely a user who looks at a result reaches a target.

To add a model, write a file that ends in its declaration and add it to ``MODELS``.
"""

from doxel.usermodels.bep_distance import BEP_DISTANCE
from doxel.usermodels.identity import IDENTITY
from doxel.usermodels.inex2003 import INEX2003
from doxel.usermodels.model import UserModel

__all__ = ["MODELS", "UserModel"]

MODELS: dict[str, UserModel] = {model.name: model for model in (IDENTITY, BEP_DISTANCE, INEX2003)}
