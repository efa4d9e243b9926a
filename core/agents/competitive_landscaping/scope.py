"""Which drugs and programs are within what was asked, and why the others are not."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.briefs.settings import Area, Setting, make_area, merge_programs, read_setting
from core.briefs.subjects import Drug
from core.evidence.assets.roles import owners_of
from core.evidence.assets.target_match import matches
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.parsed import ParsedText
from core.records.asset_queries import AssetQuery, ExcludedAsset
from core.records.names import fold_name
from core.records.programs import USE_MATCHES, Asset, Outcome, Program, TargetExpression, UseMatch
from core.records.stages import STAGES
from core.vocabulary.untold import NOT_STATED

DIAGNOSTIC = "diagnostic agent"
"""Kind of drugs that treat nothing: listed only where a question asks for them."""


@dataclass(frozen=True)
class Scope:
    """What was asked for, ready to gather and to cut.

    Attributes:
        parsed: The query.
        areas: Diseases; a program must lie in one of each entry's areas.
        targets: Targets to gather by: those named, or those of the drugs named.
        words: Words of an indication that is no known disease.
        not_areas: Diseases that the query excludes, with their kinds.
    """

    parsed: ParsedText
    areas: tuple[tuple[Area, ...], ...] = ()
    targets: tuple[TargetExpression, ...] = ()
    words: tuple[str, ...] = ()
    not_areas: tuple[Area, ...] = ()

    @property
    def label(self) -> str:
        """Return the diseases asked for, in words."""
        narrowest = self.areas[-1] if self.areas else ()
        return ", ".join([*(area.label for area in narrowest), *self.words])

    def named(self, program: Program) -> Program:
        """Return a program whose disease is no known one under the name of the area it lies in."""
        areas = self.areas[-1] if self.areas else ()
        matching_areas = [
            area for area in areas if not program.indication_key and area.holds(program)
        ]
        if not matching_areas:
            return program
        return replace(
            program, indication_key=matching_areas[0].key, indication=matching_areas[0].label
        )

    def holds(self, program: Program) -> bool:
        """Return whether a program is in the diseases asked for."""
        folded = fold_name(program.indication)
        return all(any(area.holds(program) for area in areas) for areas in self.areas) and all(
            fold_name(word) in folded for word in self.words
        )

    def widens(self, program: Program) -> bool:
        """Return whether a program is approved for a wider disease than one asked for."""
        if self.words or not program.approvals or self.holds(program):
            return False
        key = program.indication_key
        return bool(self.areas) and all(
            any(area.holds(program) or key in area.wider for area in areas) for areas in self.areas
        )

    def match(self, program: Program) -> UseMatch:
        """Return how the use of a program stands to the disease asked for; "" without one."""
        if not self.areas:
            return ""
        if not self.holds(program):
            return "wider"
        keys = {area.key for areas in self.areas for area in areas}
        is_same = not program.indication_key or program.indication_key in keys
        return "same" if is_same else "narrower"

    def place(self, program: Program) -> tuple[object, ...]:
        """Return where a program stands among a drug's: by stage, then the disease asked for.

        Without a disease asked for, the main one: approved by the FDA, then by most agencies, then
        of most trials.
        """
        regions = {approval.region for approval in program.approvals}
        return (
            STAGES.index(program.shown_stage),
            USE_MATCHES.index(self.match(program)),
            "FDA" not in regions,
            -len(regions),
            -len(program.trials),
            program.indication,
            program.as_of,
        )


@dataclass(frozen=True)
class Asked:
    """The request as it was understood.

    Attributes:
        query: The query.
        scope: What drugs and programs must meet.
        described: The candidate asset; None where none was described.
        nearest: Known names near to words that were not understood.
        warnings: What was not understood, or narrows nothing.
    """

    query: ParsedText
    scope: Scope
    described: ParsedText | None
    nearest: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that any record may carry: none, records alone name drugs."""
        return ()

    @property
    def words(self) -> Iterator[str]:
        """Yield the phrases of the question, whose digits state nothing."""
        yield self.scope.label
        for parsed in filter(None, (self.scope.parsed, self.described)):
            yield unmark(parsed.text)
            yield from (target.text for target in parsed.targets)
            yield from (unmark(named.label) for named in (*parsed.diseases, *parsed.drugs))
            yield from (*parsed.modalities, *parsed.not_modalities)
            yield from (*parsed.biomarkers, *parsed.lines)


def make_scope(query: ParsedText, indication: ParsedText | None, resolver: Resolver) -> Scope:
    """Return the scope of a query and of the indication that narrows it."""
    setting = read_setting({"disease": query}, resolver)
    within = read_setting({"disease": indication}, resolver) if indication else Setting()
    words = indication.words if indication and within.unresolved else ()
    areas = tuple(
        tuple(area.widen(resolver) for area in reading.areas)
        for reading in (setting, within)
        if reading.areas
    )
    denied = tuple(make_area(disease, resolver) for disease in query.not_diseases)
    return Scope(query, areas, setting.targets, words, denied)


def unknown_names(scope: Scope) -> tuple[str, ...]:
    """Return the words of a question that must name something but are known to nobody.

    Beside a kind of drug alone every such word counts ("zebra fever vaccine"); beside a disease
    those that are written like a target or a code ("CD999"). Nothing is selected then.
    """
    parsed = scope.parsed
    if scope.targets or parsed.drugs or parsed.companies:
        return ()
    if not scope.areas:
        return parsed.words if parsed.modalities else ()
    return tuple(
        word
        for word in parsed.words
        if any(map(str.isdigit, word)) and any(map(str.isalpha, word)) and " " not in word
    )


def _kinds(scope: Scope) -> tuple[str, ...]:
    """Return the kinds of drugs asked for; a degrader of a target may be of any: fulvestrant."""
    said = {piece.said.casefold() for piece in scope.parsed.pieces}
    if scope.targets and said & {"degrader", "degraders"}:
        return tuple(kind for kind in scope.parsed.modalities if kind != "degrader")
    return scope.parsed.modalities


def asset_query(scope: Scope, sources: Iterable[str]) -> AssetQuery:
    """Return the question to the evidence."""
    parsed = scope.parsed
    named_keys = tuple(drug.key for drug in parsed.drugs)
    named = bool(scope.targets or scope.areas or parsed.drugs)
    by_disease = scope.areas and not scope.targets
    rivals = by_disease and "competitors" in parsed.intents
    is_one_of = bool(scope.targets or rivals)  # "who competes with DRUG in DISEASE"
    return AssetQuery(
        targets=(*scope.targets, *parsed.adjacent) if scope.targets else (),
        disease_keys=tuple(sorted({key for area in scope.areas[0] for key in area.keys}))
        if by_disease
        else (),
        wider_keys=tuple(sorted({key for area in scope.areas[0] for key in area.wider}))
        if by_disease
        else (),
        modalities=_kinds(scope),
        not_modalities=parsed.not_modalities,
        drug_keys=() if is_one_of else named_keys,
        also=named_keys if is_one_of else (),
        companies=() if named else parsed.companies,
        words=() if named or parsed.companies else parsed.words,
        sources=tuple(sorted(sources)),
        routes=bool(parsed.routes or parsed.not_routes),
    )


def cut(assets: Iterable[Asset], scope: Scope) -> tuple[list[Drug], list[ExcludedAsset]]:
    """Return the drugs with programs in scope, and the others with the reason."""
    taken: list[Drug] = []
    left: list[ExcludedAsset] = []
    unwanted = {drug.key for drug in scope.parsed.not_drugs}
    for asset in assets:
        result = _cut_one(asset, scope, unwanted)
        if isinstance(result, Drug):
            taken.append(result)
        else:
            left.append(ExcludedAsset(asset.name, result, asset.key))
    return taken, left


def _cut_one(asset: Asset, scope: Scope, unwanted: Collection[str]) -> Drug | str:
    """Return a drug with its programs in scope, or why it has none."""
    if reason := _refused(asset, scope, unwanted):
        return reason
    programs = merge_programs(
        [scope.named(program) for program in asset.programs if scope.holds(program)]
    )
    if not any(program.shown_stage == "APPROVED" for program in programs):
        programs += [program.approved_only() for program in asset.programs if scope.widens(program)]
    if not programs:
        return f"no program in {scope.label}" if scope.label else "no program was found"
    parsed = scope.parsed
    if _is_at_what_is_left_out(asset, programs, scope):
        return _LEFT_OUT
    programs = [
        program
        for program in programs
        if (not parsed.stages or program.is_at(parsed.stages))
        and program.shown_stage not in parsed.not_stages
        and not any(area.holds(program) for area in scope.not_areas)
        and not (scope.not_areas and program.indication == NOT_STATED)
    ]
    if parsed.is_in_all_diseases and not all(
        any(area.holds(program) for program in programs) for area in scope.areas[0]
    ):
        return f"no program in each of {scope.label}"
    if not programs:
        stage_reason = f"no program at {', '.join(parsed.stages)}"
        return stage_reason if parsed.stages else _LEFT_OUT
    return Drug(asset, tuple(sorted(programs, key=scope.place)))


_LEFT_OUT = "at a stage or in a disease that the query leaves out"


def _is_at_what_is_left_out(asset: Asset, meant: Sequence[Program], scope: Scope) -> bool:
    """Return whether a drug as a whole is what a query leaves out.

    "TROP2 antibodies not yet approved" are approved in no disease, "IL-17 inhibitors not approved
    in psoriasis" in no kind of it, and "approved for ulcerative colitis but not Crohn disease" has
    no drug that is approved in both.
    """
    parsed = scope.parsed
    approved = [program for program in asset.programs if program.shown_stage == "APPROVED"]
    asked = [program for program in approved if program in meant or not scope.areas]
    if "APPROVED" in parsed.not_stages and asked:
        return True
    return parsed.stages == ("APPROVED",) and any(
        area.holds(program) for area in scope.not_areas for program in approved
    )


def _refused(asset: Asset, scope: Scope, unwanted: Collection[str]) -> str:
    """Return why the query leaves a drug out, whatever its programs; "" where it does not."""
    parsed, owners = scope.parsed, set(owners_of(asset))
    acts = any(  # on a target that stands in a combined one, too: "IL-12/IL-23"
        matches(link.target, target) or target.text in re.split(r"/| x ", link.target.text)
        for link in asset.targets
        for target in parsed.not_targets
    )
    is_named = asset.key in {drug.key for drug in parsed.drugs}
    is_diagnostic = asset.modality and asset.modality.text == DIAGNOSTIC and not is_named
    reasons = (
        (asset.key in unwanted, "excluded by the query"),
        (acts, "acts on what the query leaves out"),
        (is_diagnostic and DIAGNOSTIC not in parsed.modalities, f"a {DIAGNOSTIC}, no treatment"),
        (bool(owners & {*parsed.not_companies}), "of a company that the query leaves out"),
        (
            bool(parsed.companies) and not owners & {*parsed.companies},
            f"of another company than {', '.join(parsed.companies)}",
        ),
    )
    return next((reason for is_so, reason in reasons if is_so), "")


def outcomes_in(drug: Drug, scope: Scope) -> Iterator[Outcome]:
    """Yield the figures that were measured within what was asked, the most telling first.

    Without a disease asked for all count. With one, a trial's figures count where the trial
    belongs to a program in scope, a label's where the label names the disease beside them.
    """
    trials = {trial.record_id for trial in drug.trials}
    for outcome in drug.asset.outcomes:
        # a label tells of whom its figure is in the head of the study
        named = f"{outcome.indication}; {outcome.population}"
        in_words = all(any(area.names_in(named) for area in areas) for areas in scope.areas)
        of_trial = bool(trials & {outcome.record_id, outcome.trial_id})
        if not (scope.areas or scope.words) or of_trial or (scope.areas and in_words):
            yield outcome


def with_targets_of(scope: Scope, assets: Iterable[Asset]) -> Scope:
    """Return the scope that asks for all drugs on the targets of some drugs."""
    links = [link.target for asset in assets for link in asset.targets]
    distinct = {target.text: target for target in links}
    return replace(scope, targets=tuple(distinct[text] for text in sorted(distinct)))
