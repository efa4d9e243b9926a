"""What a document states of a drug, a trial or a deal, in typed fields."""

from dataclasses import dataclass, field

from core.checking.entities import EntitySpan
from core.checking.results import AssertionKind
from core.checking.values import DaySpan
from core.records.programs import TargetExpression
from core.records.stages import Stage


@dataclass(frozen=True, slots=True)
class Assertion:
    """One statement; what it leaves open is "", None or ().

    Attributes:
        kind: What is stated.
        stated: The words of the document that state it.
        drug: The drug that it is about.
        trial: Number of the trial that it is about.
        attribute: Of a trial or a deal, what is stated of it; of a company, what it did; of an
            approval the words that name the regulator;
            of a target, whether the drug is made against it ("target") or only acts on it
            ("effect"), where a verb says so.
        region: Regulator.
        diseases: The diseases that it is about.
        companies: Companies, by group.
        beside: The company before it that "and" joins to it.
        stage: Stage of a drug, or phase of a trial.
        day: Day, month or year.
        value: Number.
        unit: Its unit, or the currency of millions.
        step: Half its last digit.
        measure: Words of the sentence that tell what was measured.
        words: A word of a closed list: a modality, a trial's status; of a figure its clause, of a
            target the verb.
        targets: Targets of the drug.
        is_negated: Whether the document denies it.
        is_status: Whether it tells how far a drug has come, not only that a trial exists; of a day
            whether it is given as that of the approval, not of one approval of several; of
            participants whether they are all of the trial; of a company whether it does so today;
            of a denial whether nothing limits it; of a verb's target whether it names no more.
        is_first: Whether the day is given as that of the first approval.
        is_past: Whether it tells what was done, which later ends leave true.
        is_tentative: Whether it is hoped for, planned or possible, so that nothing can be checked.
        is_loose: Whether it may be about more than the drug alone, so that it is never corrected.
        spans: Places of the words that it was read from, in the sentence.
    """

    kind: AssertionKind
    stated: str
    drug: EntitySpan | None = None
    trial: str = ""
    attribute: str = ""
    region: str = ""
    diseases: tuple[EntitySpan, ...] = ()
    companies: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    stage: Stage | None = None
    day: DaySpan | None = None
    value: float | None = None
    unit: str = ""
    step: float = 0.0
    measure: str = ""
    words: str = ""
    targets: tuple[TargetExpression, ...] = field(default=())
    is_negated: bool = False
    is_status: bool = False
    is_tentative: bool = False
    is_past: bool = False
    is_first: bool = False
    is_loose: bool = False
    spans: tuple[tuple[int, int], ...] = ()
