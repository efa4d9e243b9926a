"""Drugs as competitors: what they act on, whose they are, how far they have come, what they showed.

Every statement carries the records that it rests on; a statement without one does not exist.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal, get_args

from core.records.stages import STAGES, Stage
from core.records.trials import Trial

OutcomeKind = Literal["efficacy", "toxicity"]
ProgramState = Literal["live", "no activity", "over"]
UseMatch = Literal["same", "narrower", "wider", ""]
"""How an approved use compares with the disease asked for; "" where one of them is missing."""
USE_MATCHES: tuple[UseMatch, ...] = get_args(UseMatch)
NO_ACTIVITY = "no known activity"


@dataclass(frozen=True, slots=True)
class Statement:
    """A word or name with what it rests on.

    Attributes:
        text: The statement, such as "antibody-drug conjugate".
        record_ids: Records that say it.
        fact_ids: Facts of the pack that say it.
        rule: Name of the rule that derived it ("" when a record says it in so many words).
        is_expert: Whether only a curator's own knowledge carries it.
    """

    text: str
    record_ids: tuple[str, ...]
    fact_ids: tuple[int, ...] = ()
    rule: str = ""
    is_expert: bool = False


@dataclass(frozen=True, slots=True)
class TargetExpression:
    """What a drug acts on, also where a gene list has no word for it.

    Attributes:
        text: As it is shown: "CLDN18.2", "KRAS G12C", "PD-1 x VEGF".
        gene_keys: Keys of the genes; of a relation all of them.
        gene_symbols: Their symbols, in the same order.
        variant: Isoform or mutation, such as "18.2" or "G12C"; "" for the gene as such.
        relation: "single", "both" (a bispecific binds all) or "family" (any member will do).
    """

    text: str
    gene_keys: tuple[str, ...]
    gene_symbols: tuple[str, ...]
    variant: str = ""
    relation: Literal["single", "both", "family"] = "single"


@dataclass(frozen=True, slots=True)
class TargetLink:
    """A drug acts on a target.

    Attributes:
        target: What it acts on.
        mechanism: How, in the words of the record or the rule.
    """

    target: TargetExpression
    mechanism: Statement


@dataclass(frozen=True, slots=True)
class CompanyRole:
    """A company's part in a drug.

    Attributes:
        company: Group under which the company counts.
        role: "originator", "holder", "sponsor", "partner" or "licensee".
        territory: Where; "" where the source does not say.
        statement: What says so.
        from_on: Since when: day of the deal or takeover; "" where no source says.
    """

    company: str
    role: str
    territory: str
    statement: Statement
    from_on: str = ""


@dataclass(frozen=True, slots=True)
class TargetDate:
    """A day by which a regulator means to decide on an application.

    Attributes:
        due_on: YYYY-MM-DD or YYYY-MM.
        indication: As written; "".
        region: "FDA".
        kind: Kind of the application, such as "sNDA".
        as_of: Day of the source: what was decided later it cannot tell.
        record_id: The record.
        companies: Who applied, as written; none where the source does not say.
    """

    due_on: str
    indication: str
    region: str
    kind: str
    as_of: str
    record_id: str
    companies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramTrial(Trial):
    """A trial in which the drug of a program is tested.

    Attributes:
        companies: Lead sponsor and collaborators, as folded groups.
        sponsor_group: Lead sponsor's group.
        state: How it stands on the day asked about, in words (see `truth.trial_state`).
        is_active: Whether it counts as running and competing.
        is_own: Whether a company with a role for the drug runs it.
    """

    companies: frozenset[str] = frozenset()
    sponsor_group: str = ""
    state: str = ""
    is_active: bool = False
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """A figure that a trial or a label reports for a drug.

    Attributes:
        kind: Whether it speaks for the drug or against it.
        measure: What was measured, as written.
        value: The figure.
        unit: Its unit, such as "%", "months", "hazard ratio".
        arm: Arm of the trial; "" for a label.
        given_with: Other drugs that the words of the arm name.
        comparator: Value of the comparator arm in words; "" where there is none.
        n: Participants analyzed; None where the source does not say.
        interval: Confidence interval with its level; "" where none is given.
        time_point: Time frame as written.
        population: Analysis set or patients.
        indication: Disease as written.
        line: Line of treatment; "" where the source does not say.
        biomarker: Biomarker of the population; "" where the source names none.
        data_cut_off: Date of the data; "" where the source does not say.
        record_id: The record.
        fact_ids: The facts.
        trial_id: Record of the trial that a label or a report speaks of; "" for its own record.
        is_primary: Whether it is of a primary endpoint of its trial.
    """

    kind: OutcomeKind
    measure: str
    value: float
    unit: str
    record_id: str
    fact_ids: tuple[int, ...]
    arm: str = ""
    given_with: tuple[str, ...] = ()
    comparator: str = ""
    n: int | None = None
    interval: str = ""
    time_point: str = ""
    population: str = ""
    indication: str = ""
    line: str = ""
    biomarker: str = ""
    data_cut_off: str = ""
    trial_id: str = ""
    is_primary: bool = False


@dataclass(frozen=True, slots=True)
class StageStatement:
    """A stage in a region, kept even where another source states another one.

    Attributes:
        stage: The stage.
        region: "FDA", "EMA", "PMDA", "NMPA", …; "" where it is of no region.
        as_of: Date of which it is told.
        statement: What says so; its rule tells where the use is taken from another source.
        first_on: First approval in the use and region; "" where no source tells the day.
        is_over: Whether it no longer holds: withdrawn, lapsed, given up.
        uses: The use in the words of each source; empty where it is read from running text.
    """

    stage: Stage
    region: str
    as_of: str
    statement: Statement
    first_on: str = ""
    is_over: bool = False
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RegionStage:
    """How far a drug has come in a region, in whatever use.

    Attributes:
        region: "FDA", "EMA", "PMDA", "NMPA", …
        stage: Highest stage that holds there; the highest that held where none does.
        first_on: First approval there; "" where no source tells the day.
        statement: What says so.
        is_over: Whether it no longer holds.
        n_uses: Uses for which the drug is approved anywhere, asked for or not.
        withdrawn_on: Day of an earlier approval's withdrawal, after which it was approved again.
    """

    region: str
    stage: Stage
    first_on: str
    statement: Statement
    is_over: bool = False
    n_uses: int = 0
    withdrawn_on: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """Why something is over.

    Attributes:
        kind: "discontinued", "withdrawn from market", "merged into another code" or "stopped
            trials".
        ended_on: YYYY-MM-DD, YYYY-MM, YYYY or "".
        region: Where; "" for everywhere.
        reason: In a word or as written; "" where no source says.
        statement: What says so.
    """

    kind: str
    ended_on: str
    region: str
    reason: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class Program:
    """One drug in one indication.

    Attributes:
        indication_key: Key of the disease; "" where its name did not resolve.
        indication: The disease's name.
        stage: Highest stage that its own evidence carries.
        as_of: Date of what carries it.
        stages: Every stage stated, the highest first; conflicts are kept.
        trials: Its trials, newest first, those of others too (`is_own`).
        is_discontinued: Whether every own trial was stopped or a pipeline says so.
        reason: Why it was discontinued, as written; "" where no source says.
        is_expert: Whether only a curator's own knowledge carries the stage.
        end: What ended it; None of a program that is not over.
        is_quiet: Whether nothing is under way and nothing came for three years, though no source
            says that it was given up.
        quiet_since: Date of what came last; "" where no date of any activity is on record.
    """

    indication_key: str
    indication: str
    stage: Stage
    as_of: str
    stages: tuple[StageStatement, ...]
    trials: tuple[ProgramTrial, ...]
    is_discontinued: bool = False
    reason: str = ""
    is_expert: bool = False
    end: End | None = None
    is_quiet: bool = False
    quiet_since: str = ""

    @property
    def state(self) -> ProgramState:
        """Return whether it is under way, over, or of no activity."""
        if self.is_discontinued:
            return "over"
        return "no activity" if self.is_quiet else "live"

    @property
    def state_words(self) -> str:
        """Return its state in words, with the date: "no activity since 2021-04"."""
        if self.is_discontinued:
            kind = self.end.kind if self.end else "discontinued"
            return f"{kind} {self.end.ended_on}".strip() if self.end else kind
        if self.is_quiet:
            return f"no activity since {self.quiet_since}" if self.quiet_since else NO_ACTIVITY
        return ""

    @property
    def approvals(self) -> tuple[StageStatement, ...]:
        """Return the approvals that hold."""
        return tuple(
            stage for stage in self.stages if stage.stage == "APPROVED" and not stage.is_over
        )

    def is_at(self, stages: Collection[Stage]) -> bool:
        """Return whether it stands at one of some stages; withdrawn in a region is discontinued."""
        is_withdrawn = any(stage.stage == "APPROVED" and stage.is_over for stage in self.stages)
        return self.shown_stage in stages or (is_withdrawn and "DISCONTINUED" in stages)

    @property
    def label_use(self) -> str:
        """Return the use in the words of the first approval that gives them."""
        words = (use for approval in self.approvals for use in approval.uses)
        return next(words, self.indication)

    def approved_only(self) -> "Program":
        """Return the program with its approvals alone: what trials show of it does not count."""
        return replace(
            self,
            stage="APPROVED",
            as_of=max(approval.as_of for approval in self.approvals),
            stages=self.approvals,
            trials=(),
            is_discontinued=False,
            reason="",
            is_expert=all(approval.statement.is_expert for approval in self.approvals),
            end=None,
            is_quiet=False,
            quiet_since="",
        )

    @property
    def shown_stage(self) -> Stage:
        """Return the stage that a table shows: a program that was stopped is discontinued."""
        return "DISCONTINUED" if self.is_discontinued else self.stage


@dataclass(frozen=True, slots=True)
class Asset:
    """A drug with all that the evidence holds of it, within what was asked.

    Attributes:
        key: "UNII:…", or "name:<folded name>" where no register of substances has it.
        name: Name for display: the INN where there is one.
        aliases: Other names and codes.
        targets: What it acts on.
        modality: Word of the modality table; None where nothing tells it.
        companies: Who has which part.
        programs: One an indication, the highest stage first.
        outcomes: Figures, the most telling first.
        newest_on: Date of the newest record about it.
        record_ids: Every record about it, sorted.
        boxed_warnings: Labels that carry a boxed warning.
        regions: How far it has come in each region, over all its uses.
        routes: How it is given, where that was asked for and a source tells.
        has_generics: Whether a register of approvals holds a generic of it.
        first_approved_on: First day of approval by any agency, in any use; "" if none is known.
        target_dates: Days by which a regulator means to decide, the soonest first.
    """

    key: str
    name: str
    aliases: tuple[str, ...]
    targets: tuple[TargetLink, ...]
    modality: Statement | None
    companies: tuple[CompanyRole, ...]
    programs: tuple[Program, ...]
    outcomes: tuple[Outcome, ...] = ()
    newest_on: str = ""
    record_ids: tuple[str, ...] = ()
    boxed_warnings: tuple[Statement, ...] = ()
    regions: tuple[RegionStage, ...] = ()
    routes: tuple[Statement, ...] = ()
    has_generics: bool = False
    first_approved_on: str = ""
    target_dates: tuple[TargetDate, ...] = ()

    @property
    def is_live(self) -> bool:
        """Return whether one of its programs is under way or on a market."""
        return any(program.state == "live" for program in self.programs)

    @property
    def highest_stage(self) -> Stage:
        """Return the highest stage over all its programs."""
        stages = [program.shown_stage for program in self.programs]
        return min(stages, key=STAGES.index, default="UNKNOWN")
