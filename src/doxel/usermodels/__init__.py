"""User models: from a result to a target, and what is seen when.

Adding one is a file that ends in its declaration, and a line in ``MODELS``.
"""

from doxel.usermodels.bep_distance import BEP_DISTANCE
from doxel.usermodels.identity import IDENTITY
from doxel.usermodels.inex2003 import INEX2003
from doxel.usermodels.model import UserModel

__all__ = ["MODELS", "UserModel"]

MODELS: dict[str, UserModel] = {one.name: one for one in (IDENTITY, BEP_DISTANCE, INEX2003)}
