"""Lines of the answer: uses beside the draft, precedents, history of the class."""

from collections.abc import Iterator

from core.agents.label_strategy.case import LabelCase
from core.agents.label_strategy.claim import markers_of
from core.agents.label_strategy.gathering import MOST_HISTORY, Use
from core.agents.label_strategy.records import (
    ApprovalType,
    ComparedUse,
    HistoryRow,
    LabelDifference,
    PrecedentRow,
)
from core.agents.label_strategy.sentence import Claim
from core.evidence.proof.citations import Cite
from core.evidence.proof.claims import unmark
from core.evidence.readers.label_extents import drop_denied
from core.records.precedents import SettingTrial
from core.vocabulary.lines import Line

LONGEST_USE = 400
_REGISTERS = ("purplebook", "drugsfda")
COMPARING = ("ratio", "difference")
"""Units of effects of two arms; a rate may be that of either."""
_EARLIER = {Line.FIRST: 0, Line.UNTREATED: 0, Line.TREATED: 1, Line.SECOND: 1, Line.THIRD: 2}


def compare(use: Use, claim: Claim, cite: Cite) -> ComparedUse:
    """Return a use beside the draft, with what differs."""
    reading, ids = use.row.use, cite.numbers([use.row.record_id])
    return ComparedUse(
        asset=unmark(use.name),
        application_number=_application(use),
        version_on=use.row.as_of or None,
        geography=use.geography,
        indication_summary=unmark(reading.text[:LONGEST_USE]),
        line=reading.line or None,
        population=", ".join(use.row.diseases[:3]),
        biomarker=_biomarker(use) or None,
        endpoint_class=_endpoint(use),
        effect=tell_effect(use.trials),
        approval_type=approval_of(use),
        boxed_terms=list(use.text.boxed) if use.text else [],
        differences=list(_differences(use, claim, ids)),
        source_ids=cite.numbers(use.record_ids()),
        age=reading.age.words or None,
        regimen=reading.regimen or None,
        stage_of_disease=use.extent or None,
        limitation_of_use=unmark(reading.limitation)[:LONGEST_USE] or None,
        is_of_a_use=use.row.is_read,
        is_named_competitor=use.is_competitor,
        match_score=use.match,
    )


def _endpoint(use: Use) -> str | None:
    """Return the class of the endpoint, or that the copy ends before it may be told."""
    is_cut = use.text is not None and use.text.is_cut
    return use.endpoint or ("cut at the copy's end" if is_cut else None)


def _biomarker(use: Use) -> str:
    reading = use.row.use
    if drop_denied(reading.text) != reading.text:
        markers = markers_of(use)
        denied = f"without {unmark(reading.biomarker)}" if reading.biomarker else ""
        return ", ".join(markers) or denied
    test = " (approved test)" if reading.needs_test and reading.biomarker else ""
    return f"{unmark(reading.biomarker)}{test}"


def _application(use: Use) -> str | None:
    if use.sheet and use.sheet.applications:
        return use.sheet.applications[0]
    source, _, number = use.row.record_id.partition(":")
    return number if source in _REGISTERS else None


def approval_of(use: Use) -> ApprovalType:
    """Return on what kind of approval a use stands; unknown where its text is not held."""
    if not use.row.is_read or use.geography == "EMA":
        return "unknown"
    return "accelerated" if use.row.use.is_accelerated else "full"


def tell_effect(trials: tuple[SettingTrial, ...]) -> str | None:
    """Return the primary effect of the first trial that tells one, with interval and number."""
    for trial in trials:
        for effect in [two for two in trial.effects if two.unit.endswith(COMPARING)][:1]:
            n = f", n={effect.n}" if effect.n else ""
            interval = effect.interval or "no interval"
            figure = f"{effect.unit} {effect.value:g} for {effect.endpoint or effect.measure}"
            return unmark(f"{figure} ({interval}{n}; {trial.number})")
    return None


def _differences(use: Use, claim: Claim, ids: list[str]) -> Iterator[LabelDifference]:
    """Yield where a use is narrower or broader than the draft, or does not tell."""
    reading = use.row.use

    def made(section: str, kind: str, text: str) -> LabelDifference:
        return LabelDifference.model_validate(
            {"section": section, "kind": kind, "text": text, "source_ids": ids}
        )

    if not use.row.is_read:
        yield made("line, biomarker, regimen", "absent", "no text of this use is available")
        return
    yield made("line", _of_line(reading.line, claim.line), reading.line or "any line")
    ours, theirs = set(claim.biomarkers), set(markers_of(use))
    is_told = drop_denied(reading.text) == reading.text
    theirs = theirs or ({unmark(reading.biomarker)} if reading.biomarker and is_told else set())
    other = "narrower" if theirs else "broader"
    kind = "same" if ours & theirs or ours == theirs else other
    yield made("biomarker", kind, ", ".join(sorted(theirs)) or "all comers")
    kids, own_age = reading.age.children, claim.age.children
    kind = "same" if kids == own_age else "broader" if kids else "narrower"
    kind = "absent" if not reading.age.words else kind
    yield made("age", kind, reading.age.words or "no age named")
    wide = {"", "either"}
    regimens = (reading.regimen in wide, claim.regimen in wide)
    kind = (
        "same"
        if reading.regimen == claim.regimen or all(regimens)
        else "broader"
        if regimens[0]
        else "narrower"
    )
    yield made("regimen", kind, reading.regimen or "not restricted")
    same = use.extent == claim.extent
    kind = "same" if same else "broader" if not use.extent else "narrower"
    yield made("stage of disease", kind, use.extent or "not restricted")


def _of_line(theirs: str, ours: str) -> str:
    if theirs == ours:
        return "same"
    if not theirs or not ours:
        return "narrower" if theirs else "broader"
    ranks = _EARLIER.get(Line(theirs), 0), _EARLIER.get(Line(ours), 0)
    return "same" if ranks[0] == ranks[1] else "narrower" if ranks[0] > ranks[1] else "broader"


def make_precedent(use: Use, cite: Cite) -> PrecedentRow:
    """Return a use as a precedent."""
    design = next(
        (precedent.design.words for precedent in use.pivotal if precedent.design.words), None
    )
    return PrecedentRow(
        asset=unmark(use.name),
        application_number=_application(use),
        approved_on=use.row.approved_on or None,
        indication=", ".join(use.row.diseases[:3]),
        line=use.row.use.line or None,
        biomarker=_biomarker(use) or None,
        endpoint_class=_endpoint(use),
        design_type=design,
        approval_type=approval_of(use),
        match_score=use.match,
        trials=[precedent.number for precedent in use.pivotal] or list(use.trial_names),
        source_ids=cite.numbers(use.record_ids()),
    )


def list_history(case: LabelCase) -> list[HistoryRow]:
    """Return changes that labels list and letters that refused drugs, newest first.

    Those of the class come before those of the disease where there are more than are shown.
    """
    names = {
        label.record_id: label.brand for group in case.findings.classes for label in group.labels
    }
    names |= {use.row.record_id: use.name for use in case.findings.uses}
    rows: dict[tuple[str, str, str], HistoryRow] = {}
    for change, labels in case.findings.changes.items():
        asset = names.get(labels[0], change.drug.title())
        event = f"label change: {change.section}"
        row = HistoryRow(
            date=change.month,
            asset=asset,
            event=event,
            detail=f"sections {change.numbers}" if change.numbers else "",
            relation="class" if {*labels} & case.findings.class_ids else "disease",
            source_ids=case.cite.numbers(labels[:1]),
        )
        rows.setdefault((change.month, asset, event), row)
    listed = sorted(rows.values(), key=_newest, reverse=True)
    kept_rows = sorted(listed, key=lambda row: row.relation)[:MOST_HISTORY]
    letters = [
        HistoryRow(
            date=letter.day,
            asset=letter.asset,
            event="complete response letter",
            detail=", ".join(letter.deficiencies),
            relation="class" if letter.is_of_class else "disease",
            source_ids=case.cite.numbers(letter.record_ids[:2]),
        )
        for letter in case.findings.letters
    ]
    return sorted([*letters, *kept_rows], key=_newest, reverse=True)


def _newest(row: HistoryRow) -> tuple[str, str, str]:
    return (row.date, row.asset, row.event)
