"""What facts say: every predicate once, with what it is of, what it holds and who reads it.

Readers name predicates by this enumeration alone; storage takes from the table what stays true
when a newer and poorer copy of a record is silent.
"""

from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows
from core.vocabulary.words import Word


class Predicate(Word):
    """A predicate of a fact."""

    ACQUIRED_BY = "acquired_by"
    ACTS_ON = "acts_on"
    APPLICATION = "application"
    APPLICATION_HOLDER = "application_holder"
    APPLICATION_TYPE = "application_type"
    APPROVAL_CHANGED_ON = "approval_changed_on"
    APPROVED_LABEL = "approved_label"
    APPROVED_ON = "approved_on"
    BIOSIMILAR_OF = "biosimilar_of"
    BOXED_TERM = "boxed_term"
    DEAL_ANNOUNCED_ON = "deal_announced_on"
    DEAL_CLOSED_ON = "deal_closed_on"
    DEAL_PARTNER = "deal_partner"
    DEAL_PRICE = "deal_price"
    DEAL_ROYALTY = "deal_royalty"
    DEAL_SOURCE = "deal_source"
    DEAL_TOTAL = "deal_total"
    DEAL_TYPE = "deal_type"
    DEAL_UPFRONT = "deal_upfront"
    DECIDED_ON = "decided_on"
    DESIGNATED_ON = "designated_on"
    DEVELOPED_BY = "developed_by"
    ENDED = "ended"
    EVENT = "event"
    EXCLUSIVITY_UNTIL = "exclusivity_until"
    FILED_ON = "filed_on"
    FILING_ITEM = "filing_item"
    FIRST_SALE_ON = "first_sale_on"
    GRANTED = "granted"
    HAS_ALIAS = "has_alias"
    HAS_BOXED_WARNING = "has_boxed_warning"
    HAS_CLASS = "has_class"
    HAS_DESIGNATION = "has_designation"
    HAS_MODALITY = "has_modality"
    HAS_ROLE = "has_role"
    HIGHEST_STAGE = "highest_stage"
    IN_STAGE = "in_stage"
    INDICATED_FOR = "indicated_for"
    INDUSTRY_GROUP = "industry_group"
    LABEL_ADVERSE_REACTIONS = "label_adverse_reactions"
    LABEL_CARRIES = "label_carries"
    LABEL_CHANGED = "label_changed"
    LABEL_ENDPOINT = "label_endpoint"
    LABEL_NAMES_TRIAL = "label_names_trial"
    LABEL_RESULT = "label_result"
    LABEL_STUDY = "label_study"
    LABEL_UNII = "label_unii"
    LETTER_DEFICIENCY = "letter_deficiency"
    LETTER_ON = "letter_on"
    LETTER_TO = "letter_to"
    LICENSED_BY = "licensed_by"
    LICENSED_TO = "licensed_to"
    MARKETING_STATUS = "marketing_status"
    NOTICE_ON = "notice_on"
    ORIGINATED_BY = "originated_by"
    PATENT_LISTED = "patent_listed"
    PROGRAM_TRIAL = "program_trial"
    RAISE_SOUGHT = "raise_sought"
    RAISED = "raised"
    SAFETY_LETTER_ON = "safety_letter_on"
    SHORT_SINCE = "short_since"
    SUBMISSION = "submission"
    TARGET_DATE = "target_date"
    TRIAL_ADVERSE_EVENT = "trial_adverse_event"
    TRIAL_AGE_FROM = "trial_age_from"
    TRIAL_AGE_TO = "trial_age_to"
    TRIAL_ANALYSIS = "trial_analysis"
    TRIAL_ANALYSIS_METHOD = "trial_analysis_method"
    TRIAL_ANALYSIS_ROLE = "trial_analysis_role"
    TRIAL_ARM = "trial_arm"
    TRIAL_COMPLETION = "trial_completion"
    TRIAL_COUNTRIES = "trial_countries"
    TRIAL_CRITERIA = "trial_criteria"
    TRIAL_DESIGN = "trial_design"
    TRIAL_EFFECT = "trial_effect"
    TRIAL_ENDPOINT = "trial_endpoint"
    TRIAL_ENROLLMENT = "trial_enrollment"
    TRIAL_FLOW = "trial_flow"
    TRIAL_HAS_RESULTS = "trial_has_results"
    TRIAL_HYPOTHESIS = "trial_hypothesis"
    TRIAL_LEFT = "trial_left"
    TRIAL_MONITORED = "trial_monitored"
    TRIAL_P_VALUE = "trial_p_value"
    TRIAL_PHASE = "trial_phase"
    TRIAL_PRIMARY_COMPLETION = "trial_primary_completion"
    TRIAL_PURPOSE = "trial_purpose"
    TRIAL_RATIO = "trial_ratio"
    TRIAL_RESULT = "trial_result"
    TRIAL_RESULTS_POSTED = "trial_results_posted"
    TRIAL_SEX = "trial_sex"
    TRIAL_SITES = "trial_sites"
    TRIAL_SPONSOR = "trial_sponsor"
    TRIAL_SPONSOR_CLASS = "trial_sponsor_class"
    TRIAL_START = "trial_start"
    TRIAL_STATUS = "trial_status"
    TRIAL_STOPPED = "trial_stopped"


class PredicateRow(TableRow):
    """What is known of a predicate.

    Attributes:
        predicate: The predicate.
        subject: Whether it is said of a drug (or product) or of the record itself.
        value: Form of the object; a figure has a value with its unit.
        lasting: "yes" where it does not cease to be so when a newer copy of less detail is silent.
        citable: "yes" where a cell or a claim may rest on it; figures are cited by themselves.
        read: When it is read of a drug's records: "told" always, "measured" with figures.
    """

    predicate: Predicate
    subject: Literal["drug", "record"]
    value: Literal["day", "figure", "name", "number", "stage", "word", "words"]
    lasting: Literal["", "yes"]
    citable: Literal["", "yes"]
    read: Literal["", "told", "measured"]


def _rows() -> tuple[PredicateRow, ...]:
    return load_rows("predicates", PredicateRow)


@cache
def lasting() -> tuple[Predicate, ...]:
    """Return what stays true though a newer copy of less detail does not say it."""
    return tuple(row.predicate for row in _rows() if row.lasting)


@cache
def citable() -> tuple[Predicate, ...]:
    """Return facts on which a cell or a claim may rest, but for figures."""
    return tuple(row.predicate for row in _rows() if row.citable)


@cache
def told(*, measured: bool = False) -> tuple[Predicate, ...]:
    """Return what is read of a drug's records.

    Args:
        measured: Whether what its trials measure is read, too.
    """
    steps = {"told", "measured"} if measured else {"told"}
    return tuple(row.predicate for row in _rows() if row.read in steps)
