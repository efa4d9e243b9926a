"""What agencies accept in a disease: endpoint, control, comparison, size, safety, guidance.

Decision of 2026-11-27: a design follows, in this order, the request's preferred endpoint, its
label claim where the claim is an outcome, the intent (vaccine, biosimilar, gene or cell therapy), a
row of this table, and only then the precedents. Precedents that choose otherwise are named next to
the answer and change nothing.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator

from core.agents.clinical_trial_design.records import ComparatorType
from core.vocabulary.endpoints import EndpointType
from core.vocabulary.tables import TableRow, load_rows

Number = Annotated[float | None, BeforeValidator(lambda cell: cell or None)]
Comparison = Literal["superiority", "non_inferiority", "equivalence"]


class GuidanceRow(TableRow):
    """A guidance of FDA by the notice of its availability."""

    document: str
    title: str
    status: Literal["draft", "final"]
    published_on: str

    @property
    def words(self) -> str:
        """Return how the guidance is cited in a sentence."""
        return f"FDA {self.status} guidance “{self.title}” ({self.notice}{self.published_on})"

    @property
    def notice(self) -> str:
        """Return the number of its notice as it is cited; "" where no notice was at hand."""
        return f"FR Doc. {self.document}, " if self.document[:1].isdigit() else ""


class ExpectationRow(TableRow):
    """What an agency accepts in a disease; lists are joined with "|", "" holds for all.

    Attributes:
        key: Its name.
        diseases: Diseases by name; their kinds count, too.
        named: Words of the request that name the disease where the disease tree does not.
        words: Words that the patients of the request must be described by.
        drug_words: Words that the drug must be described by.
        intent: What the development is for, such as "biosimilar".
        lines: Lines of treatment.
        kinds: Kinds of drug.
        study: "first in human" where the row is for that study alone.
        agency: Regulator.
        area: Field of medicine whose traits hold.
        who: People enrolled, where they are no patients with the disease; after "|" how the
            inclusion puts it.
        endpoint: Primary endpoint with its instrument.
        endpoint_class: Its class.
        type: In what it is told.
        better: Which direction is good.
        time_point: When it is read.
        supports: Full or accelerated approval, or approval on efficacy in animals.
        co_endpoint: Second primary endpoint with its instrument.
        co_class: Its class.
        co_rule: "both" where both must be met; "split" where either may be.
        others: Other endpoints that were accepted.
        key_secondary: Key secondary endpoints in the order of the hierarchy.
        control: Kind of control.
        control_words: The control by name.
        comparison: Superiority, non-inferiority or equivalence.
        n_low: Least participants of pivotal trials of the class.
        n_high: Most of them.
        trials: Pivotal trials that are usual.
        site_rate: Patients a site and month.
        factors: Stratification.
        criteria: Key inclusion.
        exclusions: Key exclusion.
        interest: Events of special interest, each with its monitoring after a colon.
        safety_database: Exposure that is asked for.
        guidance: Documents of the guidance table.
    """

    key: str
    diseases: str
    named: str
    words: str
    drug_words: str
    intent: Literal["", "biosimilar", "vaccine", "diagnostic", "prevention", "outcome claim"]
    lines: str
    kinds: str
    study: Literal["", "first in human"]
    agency: str
    area: str
    who: str
    endpoint: str
    endpoint_class: str
    type: EndpointType
    better: Literal["higher", "lower"]
    time_point: str
    supports: Literal["full", "accelerated", "animal rule"]
    co_endpoint: str
    co_class: str
    co_rule: Literal["", "both", "split"]
    others: str
    key_secondary: str
    control: ComparatorType
    control_words: str
    comparison: Comparison
    n_low: int
    n_high: int
    trials: int
    site_rate: Number
    factors: str
    criteria: str
    exclusions: str
    interest: str
    safety_database: str
    guidance: str

    @property
    def label(self) -> str:
        """Return the setting of the row as a reader calls it."""
        study = "first-in-human studies" if self.study else ""
        disease = self.diseases.partition("|")[0] or self.intent or study
        return ", ".join(filter(None, (disease, self.lines.replace("|", " or "))))

    @property
    def guidances(self) -> list[GuidanceRow]:
        """Return the guidances that govern the setting."""
        rows = {row.document: row for row in load_rows("guidances", GuidanceRow)}
        return [rows[document] for document in self.guidance.split("|") if document]

    def list_others(self, role: str) -> list[str]:
        """Return the other endpoints that the table marks so, such as "(confirmatory)"."""
        marked = (name for name in self.others.split("|") if name.endswith(f" ({role})"))
        return [name.removesuffix(f" ({role})") for name in marked]

    @property
    def monitored(self) -> Iterator[tuple[str, str]]:
        """Yield the events of special interest with how they are watched."""
        for event in filter(None, self.interest.split("|")):
            term, _, how = event.partition(": ")
            yield term, how


def load_expectations() -> tuple[ExpectationRow, ...]:
    """Return the rows of the table."""
    return load_rows("expectations", ExpectationRow)
