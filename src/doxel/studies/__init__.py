"""Studies of measures and settings, on simulated systems or on given runs."""

from doxel.studies.agreement import Agreement, agreement
from doxel.studies.declare import Panel, Study, StudyResult
from doxel.studies.ideal_base import IdealBase, ideal_base
from doxel.studies.power import Power, power
from doxel.studies.settings_study import SettingsStudy, settings
from doxel.studies.simulated_grades import simulated_grades
from doxel.studies.stereotype_study import Stereotypes, stereotypes
from doxel.studies.stereotypes import SYSTEMS, simulate
from doxel.studies.structural_relevance import StructuralRelevance, structural_relevance
from doxel.studies.table import STUDIES, study_named

__all__ = [
    "STUDIES",
    "SYSTEMS",
    "Agreement",
    "IdealBase",
    "Panel",
    "Power",
    "SettingsStudy",
    "Stereotypes",
    "StructuralRelevance",
    "Study",
    "StudyResult",
    "agreement",
    "ideal_base",
    "power",
    "settings",
    "simulate",
    "simulated_grades",
    "stereotypes",
    "structural_relevance",
    "study_named",
]
