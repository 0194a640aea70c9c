"""Studies of measures and settings, on simulated systems or on given runs.

How data flows through this room:

1. *study_table* lists all studies, each declared with *study_declaration*; the command, its help and the
   documentation are derived from the table.
2. A study (*measure_agreement_study*, *ideal_base_study*, *power_study*, *settings_study*, *holes_study*,
   *stereotype_study*, *structural_relevance_study*) loads its runs and assessments with *study_data* and
   scores them with ``doxel.evaluate``, under one or several settings.
3. The result consists of panels, one per table, and of sentences that summarise them.

*claims* asks the findings of all five sources at once, with the studies above: its *claim_table* declares
each finding with its criterion (*ranking_criteria*, *run_criteria*, *system_criteria*), and *claims_study*
asks them of the data in *claim_data*.

*simulation* creates the runs of stereotypical systems and random grades; *stereotype_observations* checks
the four observations of the paper about them.
"""

from doxel.studies.claims.claims_study import ClaimsStudy, study_claims
from doxel.studies.holes_study import HolesStudy, study_holes
from doxel.studies.ideal_base_study import IdealBaseStudy, study_ideal_base
from doxel.studies.measure_agreement_study import MeasureAgreement, study_agreement
from doxel.studies.power_study import PowerStudy, study_power
from doxel.studies.settings_study import SettingsStudy, study_settings
from doxel.studies.simulation import SYSTEMS, generate_grades, simulate_system
from doxel.studies.stereotype_study import StereotypeStudy, study_stereotypes
from doxel.studies.structural_relevance_study import StructuralRelevanceStudy, study_structural_relevance
from doxel.studies.study_declaration import Panel, Study, StudyResult
from doxel.studies.study_table import STUDIES, find_study

__all__ = [
    "STUDIES",
    "SYSTEMS",
    "ClaimsStudy",
    "HolesStudy",
    "IdealBaseStudy",
    "MeasureAgreement",
    "Panel",
    "PowerStudy",
    "SettingsStudy",
    "StereotypeStudy",
    "StructuralRelevanceStudy",
    "Study",
    "StudyResult",
    "find_study",
    "generate_grades",
    "simulate_system",
    "study_agreement",
    "study_claims",
    "study_holes",
    "study_ideal_base",
    "study_power",
    "study_settings",
    "study_stereotypes",
    "study_structural_relevance",
]
