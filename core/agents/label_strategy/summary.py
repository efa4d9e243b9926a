"""The summary: claims about precedents, warnings and gaps, proved before they are shown."""

from collections.abc import Iterator

from core.agents.label_strategy.classes import count_boxes, leading
from core.agents.label_strategy.gathering import Holdings
from core.agents.label_strategy.question import Question
from core.agents.label_strategy.schema import LabelStrategyRequest
from core.briefs.skeleton import Dossier
from core.evidence.proof.claims import Claim, count_of, make_claim

File = Dossier[LabelStrategyRequest, Question, Holdings]
MOST_CITED = 6


def say(dossier: File) -> Iterator[Claim]:
    """Yield how many labels are precedents, whether the class is boxed, what its labels share."""
    yield from _precedents(dossier)
    yield from _box(dossier)
    yield from _accelerated(dossier)
    rules = dossier.asked.rules("boxed")
    if rules:
        terms = ", ".join(dict.fromkeys(row.term for row in rules))
        yield make_claim(
            f"By a class rule of the curators, labels of {rules[0].class_name} products warn in a "
            f"box of {terms}.",
            "rule",
        )


def _precedents(dossier: File) -> Iterator[Claim]:
    findings, disease = dossier.found, dossier.asked.disease
    if not findings.uses:
        return
    drugs = sorted({"|".join(sorted(use.moiety)) for use in findings.uses})
    uses = [f"{use.row.record_id}|{use.row.use.text}" for use in findings.uses]
    closest = findings.uses[0]
    ids = list(dict.fromkeys(use.row.record_id for use in findings.uses))[:MOST_CITED]
    figures = [count_of(len(set(uses)), uses), count_of(len(drugs), drugs)]
    yield make_claim(
        f"{_count(len(set(uses)), 'labeled use')} of {_count(len(drugs), 'drug')} found in "
        f"{disease}; closest precedent: {closest.name}.",
        "computed",
        ids,
        figures=figures,
        names=[closest.name],
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _box(dossier: File) -> Iterator[Claim]:
    group = leading(dossier.found.classes)
    count = count_boxes(group) if group else None
    if group is None or count is None or not count.n:
        return
    having = [sheet.record_id for sheet in count.having]
    count_text = "none" if not having else str(len(having))
    figures = [count_of(count.n, count.record_ids)]
    figures += [count_of(len(having), having)] if having else []
    has = "has" if len(having) == 1 else "have"
    yield make_claim(
        f"Of {_count(count.n, 'full label')} in the class {group.name}, {count_text} {has} a boxed "
        "warning.",
        "computed",
        count.record_ids,
        figures=figures,
    )


def _accelerated(dossier: File) -> Iterator[Claim]:
    uses = [use for use in dossier.found.uses if use.row.is_read]
    early = [use for use in uses if use.row.use.is_accelerated]
    if not early:
        return
    drugs = sorted({"|".join(sorted(use.moiety)) for use in uses})
    ours = sorted({"|".join(sorted(use.moiety)) for use in early})
    yield make_claim(
        f"{len(ours)} of {len(drugs)} drugs with a label text in the disease have a use under "
        "accelerated approval.",
        "computed",
        list(dict.fromkeys(use.row.record_id for use in early))[:MOST_CITED],
        figures=[count_of(len(ours), ours), count_of(len(drugs), drugs)],
    )
