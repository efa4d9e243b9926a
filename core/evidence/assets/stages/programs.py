"""A drug's programs: one an indication, with stage, trials and end; and its stage by region."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from core.evidence.assets.roles import sponsor_of, takes_part
from core.evidence.assets.shelf import Shelf
from core.evidence.assets.stages.approvals import Claim, find_claims, find_page_claims
from core.evidence.assets.stages.ends import (
    WITHDRAWN,
    ToldEnd,
    choose_end,
    end_claims,
    find_ends,
    last_activity,
)
from core.evidence.assets.stages.truth import (
    StageClaim,
    counts,
    highest_of,
    program_stages,
    stage_of_phase,
    trial_state,
)
from core.evidence.entries import Stated
from core.evidence.readers.diseases import Disease, Diseases
from core.records.names import fold_name
from core.records.programs import Program, ProgramTrial, RegionStage, StageStatement, Statement
from core.records.stages import STAGES, Stage
from core.vocabulary.sources import TRIAL_REGISTERS, confirmed_first

OF_REGISTER = {"drugsfda": "FDA", "purplebook": "FDA", "pmda": "PMDA", "ema": "EMA"}
"""Whose approvals each register lists."""
ORDER = ("FDA", "EMA", "PMDA", "NMPA")
"""Regions in the order in which a row shows them; others follow by name."""


def region_stages(
    key: str,
    shelf: Shelf,
    programs: Iterable[Program],
    n_uses: int,
    ends: Iterable[ToldEnd],
) -> tuple[RegionStage, ...]:
    """Return the highest stage of a drug in each region that a source names.

    Args:
        key: The drug.
        shelf: What the pack holds about it.
        programs: Its programs within what was asked.
        n_uses: Uses for which it is approved anywhere, asked for or not.
        ends: What the table of ends tells of it.
    """
    stated = defaultdict(list)
    for program in programs:
        for stage in program.stages:
            if stage.region:
                stated[stage.region].append(stage)
    gone = {
        end.end.region: end.end.ended_on
        for end in ends
        if end.end.kind == WITHDRAWN and end.disease is None and end.end.ended_on
    }
    days = _first_days(key, shelf, gone)
    stages = []
    for region, statements in stated.items():
        best = min(
            statements,
            key=lambda statement: (
                statement.is_over,
                STAGES.index(statement.stage),
                statement.statement.is_expert,
            ),
        )
        first_days = [
            claim.first_on for claim in statements if claim.first_on and claim.stage == "APPROVED"
        ]
        listed = days.get(region)
        precise = min(first_days, key=lambda day: (day[:4], -len(day), day), default="")
        first_on = listed.text if listed else precise
        statement = best.statement
        if listed and best.stage == "APPROVED":
            ids = dict.fromkeys((*statement.record_ids, listed.record_id))
            facts = dict.fromkeys((*statement.fact_ids, listed.fact_id))
            statement = Statement(statement.text, tuple(ids), tuple(facts), statement.rule)
        is_approved = best.stage == "APPROVED"
        stages.append(
            RegionStage(
                region,
                best.stage,
                first_on if is_approved else "",
                statement,
                best.is_over,
                n_uses,
                gone.get(region, "") if first_on > gone.get(region, first_on) else "",
            )
        )
    return tuple(
        sorted(
            stages,
            key=lambda stage: (
                (ORDER.index(stage.region) if stage.region in ORDER else len(ORDER)),
                stage.region,
            ),
        )
    )


def first_approval_day(key: str, shelf: Shelf, programs: Iterable[Program]) -> str:
    """Return the first day on which an agency is known to have approved a drug; "" if none is."""
    days = [statement.text for _, statement in _listed(key, shelf)]
    days += [approval.first_on for program in programs for approval in program.approvals]
    return min(filter(None, days), default="")


def _first_days(key: str, shelf: Shelf, gone: Mapping[str, str]) -> dict[str, Stated]:
    """Return the earliest day of approval that a region's registers list for this drug alone.

    Of a drug that was withdrawn and approved again, the first day after the withdrawal.
    """
    first: dict[str, Stated] = {}
    listed = list(_listed(key, shelf))
    again = {region for region, stated in listed if stated.text > gone.get(region, "9999")}
    for region, statement in listed:
        if region in again and statement.text <= gone[region]:
            continue
        if region not in first or statement.text < first[region].text:
            first[region] = statement
    return first


def _listed(key: str, shelf: Shelf) -> Iterator[tuple[str, Stated]]:
    for record_id in shelf.of(key, *OF_REGISTER):
        approved = shelf.entries.approval(record_id).approved
        if approved and shelf.is_alone(record_id):
            yield OF_REGISTER[record_id.partition(":")[0]], approved


NOBODY_NAMED = "trial whose copy names no sponsor"
NAMED_IN_TITLE = "trial whose title names the drug; its copy lists none"


@dataclass
class _Draft:
    """What belongs to one indication of a drug."""

    disease: Disease
    trials: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)


class Programs:
    """Makes the programs of drugs from what lies on a shelf."""

    def __init__(
        self, shelf: Shelf, diseases: Diseases, as_of: date, *, own_only: bool = False
    ) -> None:
        """Keep what is read, and read all indications at once."""
        self.own_only = own_only
        self.shelf = shelf
        self.diseases = diseases
        self.as_of = as_of
        self.trials: dict[tuple[str, bool], ProgramTrial] = {}
        tested = [mention for mention in shelf.mentions if mention.startswith(TRIAL_REGISTERS)]
        diseases.read_ahead(
            condition for record_id in tested for condition in self.conditions(record_id)
        )

    def of(self, key: str, companies: Iterable[str], *, is_known: bool = False) -> list[Program]:
        """Return a drug's programs, the highest stage first.

        Args:
            key: The drug.
            companies: Groups with a role for it.
            is_known: Whether the curators know it. Where no record carries a stage of such a
                drug, trials do whose copy names neither sponsor nor collaborator: many copies
                lack them, and to say nothing would be further from the truth.
        """
        owners = frozenset(fold_name(company) for company in companies)
        drafts: dict[str, _Draft] = {}
        for record_id in tested_in(key, self.shelf):
            named = takes_part(record_id, self.shelf)
            if self.own_only and not counts(named, owners, unnamed=is_known):
                continue
            for disease in self.diseases.of_conditions(self.conditions(record_id)):
                self._draft(drafts, disease).trials.append(record_id)
        for claim in find_claims(key, self.shelf, self.diseases, self.as_of):
            self._draft(drafts, claim.disease).claims.append(claim)
        unnamed = is_known and not any(self._is_told(draft, owners) for draft in drafts.values())
        ends = find_ends(key, self.shelf, self.diseases)
        made = [self._program(draft, owners, ends, unnamed=unnamed) for draft in drafts.values()]
        programs = [program for program in made if program is not None]
        if self._take_pages(key, drafts, programs):
            made = [self._program(each, owners, ends, unnamed=unnamed) for each in drafts.values()]
            programs = [program for program in made if program is not None]
        ill = [program for program in programs if not _is_of_the_healthy(program)]
        return sorted(ill or programs, key=_place)

    def _take_pages(self, key: str, drafts: dict[str, _Draft], programs: Sequence[Program]) -> bool:
        """Add what accepted pages state of a drug where it raises nothing; return whether any does.

        A page that states the stage of a program is a further source of it. A use that no other
        source has becomes a program of its own, unless it would be the drug's highest.
        """
        stages = {
            program.indication_key or program.indication: program.stage for program in programs
        }
        highest = min((STAGES.index(stage) for stage in stages.values()), default=0)
        taken = False
        for claim in find_page_claims(key, self.shelf, self.diseases):
            disease, stage = claim.disease, claim.stage.stage
            settled = stages.get(disease.key or disease.name)
            is_new = not stages or (bool(disease.key) and STAGES.index(stage) >= highest)
            if settled == stage or (settled is None and is_new):
                self._draft(drafts, disease).claims.append(claim)
                taken = True
        return taken

    def _draft(self, drafts: dict[str, _Draft], disease: Disease) -> _Draft:
        return drafts.setdefault(disease.key or disease.name.casefold(), _Draft(disease))

    def conditions(self, record_id: str) -> tuple[str, ...]:
        """Return a trial's conditions as written."""
        return self.shelf.entries.trial(record_id).conditions

    def _is_told(self, draft: _Draft, owners: frozenset[str]) -> bool:
        """Return whether a record carries a stage: a claim, or a trial of the drug's companies."""
        return any(not claim.stage.is_expert for claim in draft.claims) or any(
            takes_part(trial, self.shelf) & owners and self._stage(trial) for trial in draft.trials
        )

    def _stage(self, record_id: str) -> Stage | None:
        """Return the stage that a trial's phase shows."""
        return stage_of_phase(self.shelf.entries.trial(record_id).phase)

    def _program(
        self, draft: _Draft, owners: frozenset[str], ends: Sequence[ToldEnd], *, unnamed: bool
    ) -> Program | None:
        trials = [self._trial(trial, owners) for trial in draft.trials]
        covering = [end for end in ends if end.covers(draft.disease, self.diseases)]
        claims = end_claims(draft.claims, covering)
        unnamed = unnamed or bool(claims)  # drug and disease are those of a claim: it says so
        stages = program_stages(trials, [claim.stage for claim in claims], owners, unnamed=unnamed)
        highest = highest_of(stages)
        if highest is None:
            return None
        trials.sort(key=lambda trial: (trial.start_on, trial.number), reverse=True)
        own = [trial for trial in trials if trial.is_own or (unnamed and not trial.sponsor_group)]
        end = choose_end(claims, own, covering)
        is_quiet, since = last_activity(claims, own, self.as_of)
        return Program(
            draft.disease.key,
            draft.disease.name,
            highest.stage,
            highest.as_of,
            self._statements(stages),
            tuple(trials),
            end is not None,
            end.reason if end else "",
            highest.is_expert,
            end,
            is_quiet and end is None,
            since if is_quiet and end is None else "",
        )

    def _statements(self, stages: Sequence[StageClaim]) -> tuple[StageStatement, ...]:
        """Return every stage stated, one each and region, with its newest date and its records."""
        claims: dict[tuple[Stage, str], list[StageClaim]] = defaultdict(list)
        for claim in stages:
            claims[claim.stage, claim.region].append(claim)
        order = sorted(claims.items(), key=lambda claim: (STAGES.index(claim[0][0]), claim[0][1]))
        return tuple(
            StageStatement(
                stage,
                region,
                max(claim.as_of for claim in claims),
                self._state(stage, claims),
                _first_on(claims),
                all(claim.is_over for claim in claims),
                tuple(dict.fromkeys(claim.use for claim in claims if claim.use)),
            )
            for (stage, region), claims in order
        )

    def _state(self, stage: Stage, claims: Sequence[StageClaim]) -> Statement:
        """Return what carries a stage in a region."""
        ids = {claim.record_id for claim in claims if claim.record_id}
        ids |= {record_id for claim in claims for record_id in claim.also}
        return Statement(
            stage,
            tuple(confirmed_first(ids)[:8]),
            tuple(sorted({claim.fact_id for claim in claims if claim.fact_id})[:8]),
            self._rule(claims),
            is_expert=all(claim.is_expert for claim in claims),
        )

    def _rule(self, claims: Sequence[StageClaim]) -> str:
        """Return what is to be told of claims that carry a stage."""
        if all(claim.rule for claim in claims if not claim.is_expert):
            rule = next((claim.rule for claim in claims if claim.rule), "")
            if rule:
                return rule
        trials = [
            claim.record_id for claim in claims if claim.record_id.startswith(TRIAL_REGISTERS)
        ]
        if len(trials) < len(claims):
            return ""
        if not any(takes_part(trial, self.shelf) for trial in trials):
            return NOBODY_NAMED
        return NAMED_IN_TITLE if all(map(self._is_titled, trials)) else ""

    def _is_titled(self, record_id: str) -> bool:
        """Return whether a trial names its drugs in its title and nowhere else."""
        named = [mention for mention in self.shelf.mentions[record_id] if mention.kind == "drug"]
        return all(mention.relation == "title" for mention in named)

    def _trial(self, record_id: str, owners: frozenset[str]) -> ProgramTrial:
        companies = takes_part(record_id, self.shelf)
        is_own = bool(companies & owners)
        made = self.trials.get((record_id, is_own))
        if made is None:
            trial = self.shelf.entries.trial(record_id)
            state = trial_state(trial.status, trial.primary_completion_on, trial.as_of, self.as_of)
            made = self.trials[record_id, is_own] = ProgramTrial(
                **trial.told(),
                companies=companies,
                sponsor_group=sponsor_of(record_id, self.shelf),
                state=state.shown,
                is_active=state.is_active,
                is_own=is_own,
            )
        return made


def _first_on(claims: Sequence[StageClaim]) -> str:
    """Return the first day of an approval that holds, as records tell it; else as experts do."""
    current = [claim for claim in claims if not claim.is_over] or claims
    days = [(claim.is_expert, claim.first_on) for claim in current if claim.first_on]
    return min(days, default=(False, ""))[1]


def _is_of_the_healthy(program: Program) -> bool:
    """Return whether a program is one of volunteers, which are no indication."""
    return not program.indication_key and program.indication.casefold().startswith("healthy")


def _place(program: Program) -> tuple[bool, int, bool, bool, int, str]:
    """Return where a program stands: running ones by stage, those with a known disease first.

    Of the approved ones those of the FDA lead, then those that most regions approve.
    """
    regions = {
        stated.region
        for stated in program.stages
        if stated.stage == "APPROVED" and not stated.is_over
    }
    return (
        program.is_discontinued,
        STAGES.index(program.stage),
        not program.indication_key,
        "FDA" not in regions,
        -len(regions),
        program.indication,
    )


def tested_in(key: str, shelf: Shelf) -> list[str]:
    """Return the trials in which a drug is tested."""
    return [
        record_id
        for record_id in shelf.of(key, *TRIAL_REGISTERS)
        if shelf.drugs[record_id][key] == "investigational"
    ]
