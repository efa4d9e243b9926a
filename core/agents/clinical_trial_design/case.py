"""One design: the request as understood, its evidence, what is decided, and how it is cited."""

from collections.abc import Iterable, Mapping, Sized
from dataclasses import asdict, dataclass, field

from core.agents.clinical_trial_design.expectations import ExpectationRow
from core.agents.clinical_trial_design.planning import Planned, PlanningRow
from core.agents.clinical_trial_design.question import Question
from core.agents.clinical_trial_design.records import ComparatorType, NumberRange
from core.briefs.precedents import Precedents, Ranked, number_range
from core.briefs.skeleton import Found
from core.evidence.assets.precedents.trials import ControlResult
from core.evidence.entries.regulators import LetterEntry
from core.evidence.entries.reports import FlowEntry
from core.evidence.names.identity.salts import strip_water
from core.evidence.proof.cells import Cell
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.records.precedents import LabelUse, Range, SettingTrial
from core.stats.trial_design.sizing import Plan, Size, whole
from core.vocabulary.words import plural

MOST_CITED = 5
NO_RANGE = number_range((), "")


@dataclass(frozen=True)
class Subject:
    """A precedent, label or letter with its record.

    Attributes:
        key: Its number or title.
        ids: Records that may be cited for it.
        row: The trial, with its match; None for a label or letter.
        kind: "registered trial", "own trial" or "named in the request".
    """

    key: str
    ids: tuple[str, ...]
    row: Ranked[SettingTrial] | None = None
    kind: str = "registered trial"
    is_expert_only: bool = False

    @property
    def name(self) -> str:
        """Return its name."""
        return unmark(self.key)

    def cells(self) -> list[Cell]:
        """Return what its line rests on."""
        return [Cell("precedent", self.name, self.ids[:1])] if self.row else []

    def record_ids(self) -> tuple[str, ...]:
        """Return the records that may be cited."""
        return self.ids

    def names(self) -> dict[str, set[str]]:
        """Return its number and the records that speak of it."""
        return {self.name: set(self.ids)} if self.row else {}

    def words(self) -> Iterable[str]:
        """Return phrases with digits: none."""
        return ()


@dataclass(frozen=True)
class Letter:
    """A complete response letter."""

    record_id: str
    title: str
    entry: LetterEntry


@dataclass(frozen=True)
class Enrollment:
    """How the trial is filled.

    Attributes:
        sites: Sites that the participants ask for.
        rate: Patients a site and month.
        months: Months from the first to the last participant.
        ramp: Months over which the sites open.
        limit: What sets the months where it is not the sites, such as slots of manufacturing.
    """

    sites: int
    rate: float
    months: int
    ramp: float
    limit: str = ""


@dataclass(frozen=True, kw_only=True)
class DesignCase(Found[Subject]):
    """All that a design is decided by, what is decided, and what its sections are written from.

    Attributes:
        question: The request as understood.
        precedents: Trials, uses and pivotal trials of the setting.
        near: The nearest trials, those of the drug asked for among them.
        flows: How participants went through them, by record.
        results: The nearest trials that tell results.
        controls: What their control arms came to.
        competing: Trials that recruit now.
        named_trials: Trials that the request names.
        approved: Approvals of registers in the disease, which tell no line.
        texts: Sections of the labels of the class, by record.
        letters: Complete response letters of the indication.
        comparable: Precedents that were to show what this study is to show.
        votes: Endpoint classes of precedents with weight and number.
        endpoint: Class of the primary endpoint; as named where the preferred one is unknown.
        endpoint_rule: Why that endpoint.
        expected: Row of the expectations that the endpoint comes from; None where none does.
        endpoint_type: In what it is told; "" where unknown.
        instrument: The endpoint as a reader names it, with its instrument.
        timepoint: When the endpoint is read; "" where nothing says so.
        planning: Planning values of the expectation, where they are of its type.
        care: Uses of labels that are standard care of the line.
        comparator_votes: Kinds of control of precedents with weight and number.
        comparator: Kind of control.
        comparator_rule: Why that control.
        typical: Participants that most like precedents come near, within the range of pivotal
            trials of the class where a row tells it.
        alike: These precedents.
        dropout: Loss among precedents.
        plan: What participants are computed from.
        size: Participants, loss included, looks included; None where no effect was found.
        floor: Least participants of pivotal trials of the class; 0 where the study is none, None
            where no row tells it.
        cohort: Participants of a first study; None for later ones.
        lower_rates: Patients a site and month of precedents, their follow-up taken off.
        durations: Months to primary completion of like precedents.
        enrollment: How the trial is filled; None without participants.
        months: Months to the readout; None where they cannot be told.
        cite: Gives records their numbers.
    """

    question: Question
    precedents: Precedents = field(default_factory=Precedents)
    near: tuple[Ranked[SettingTrial], ...] = ()
    flows: Mapping[str, tuple[FlowEntry, ...]] = field(default_factory=dict)
    results: tuple[Ranked[SettingTrial], ...] = ()
    controls: tuple[ControlResult, ...] = ()
    competing: tuple[Ranked[SettingTrial], ...] = ()
    named_trials: tuple[SettingTrial, ...] = ()
    approved: tuple[LabelUse, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    letters: tuple[Letter, ...] = ()
    comparable: tuple[Ranked[SettingTrial], ...] = ()
    votes: tuple[tuple[str, float, int], ...] = ()
    endpoint: str = ""
    endpoint_rule: str = ""
    expected: ExpectationRow | None = None
    endpoint_type: str = ""
    instrument: str = ""
    timepoint: str = ""
    planning: PlanningRow | None = None
    care: tuple[LabelUse, ...] = ()
    comparator_votes: tuple[tuple[ComparatorType, float, int], ...] = ()
    comparator: ComparatorType = "active"
    comparator_rule: str = ""
    typical: float | None = None
    alike: tuple[SettingTrial, ...] = ()
    dropout: Range = NO_RANGE
    plan: Plan[Planned] = field(default_factory=lambda: Plan("", Planned()))
    size: Size = field(default_factory=Size)
    floor: int | None = None
    cohort: int | None = None
    lower_rates: Range = NO_RANGE
    durations: Range = NO_RANGE
    enrollment: Enrollment | None = None
    months: float | None = None
    cite: Cite = field(default_factory=lambda: Cite({}))

    @property
    def reporting(self) -> list[SettingTrial]:
        """Return the precedents that report their primary endpoints."""
        return [trial.row for trial in self.precedents.trials if trial.row.endpoints]

    @property
    def same_mechanism(self) -> list[SettingTrial]:
        """Return the nearest trials of drugs that act in the same way."""
        return [trial.row for trial in self.near if trial.match.parts.get("mechanism") == 1.0]

    @property
    def is_randomized(self) -> bool:
        """Return whether there is a control arm."""
        return self.comparator != "single_arm"

    @property
    def compares_arms(self) -> bool:
        """Return whether two arms are compared: not in a single arm or a first study."""
        return self.is_randomized and self.question.study != "first in human"

    @property
    def fill_months(self) -> int | None:
        """Return the months of recruitment; None without participants."""
        return self.enrollment.months if self.enrollment else None

    @property
    def total(self) -> int | None:
        """Return the participants that the power needs, arms of the same size."""
        return whole(self.size.n, self.plan.groups)

    @property
    def is_exposure_bound(self) -> bool:
        """Return whether the class enrolls more than the power needs, or precedents twice that."""
        if not self.total:
            return False
        if self.floor is not None:
            return self.total < self.floor
        return bool(self.typical and self.typical >= 2 * self.total)

    @property
    def planned_total(self) -> int | None:
        """Return the participants to enroll: for power, and for exposure as the class does.

        None where no effect was found: N is withheld then.
        """
        if self.total is None:
            return self.cohort
        needed = self.floor or self.typical
        return whole(needed, self.plan.groups) if self.is_exposure_bound else self.total

    @property
    def n(self) -> int | None:
        """Return the participants planned with: to enroll, else typical."""
        return self.planned_total or (round(self.typical) if self.typical else None)

    def ids(self, record_ids: Iterable[str], most: int = MOST_CITED) -> list[str]:
        """Return the numbers of the first few records that the answer holds."""
        known = [key for key in dict.fromkeys(record_ids) if key in self.cite.records]
        return self.cite.numbers(known[:most])

    def ids_of(
        self, trials: Iterable[SettingTrial | Ranked[SettingTrial]], most: int = MOST_CITED
    ) -> list[str]:
        """Return the numbers of the first few trials."""
        rows = (trial.row if isinstance(trial, Ranked) else trial for trial in trials)
        return self.ids((row.record_id for row in rows), most)

    def range(self, spread: Range, trials: Iterable[SettingTrial] = ()) -> NumberRange:
        """Return how a number lies among precedents, with the first of them."""
        ids = self.ids_of(trials) if spread.n else []
        return NumberRange(**asdict(spread), source_ids=ids)


def share_of(part: Sized, whole: Sized) -> float | None:
    """Return how many of the whole the part is; None of nothing."""
    return round(len(part) / len(whole), 3) if len(whole) else None


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def name_drugs(names: Iterable[str]) -> str:
    """Return drugs as they are shown: joined, each once, without the words of its water.

    >>> name_drugs(["docetaxel anhydrous", "Docetaxel", "carboplatin"])
    'docetaxel, carboplatin'
    """
    first: dict[str, str] = {}
    for name in map(strip_water, names):
        first.setdefault(name.casefold(), name)
    return unmark(", ".join(first.values()))
