"""How far a drug has come in each region, with the first approval where a source tells its day."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from core.evidence.assets.shelf import Shelf
from core.evidence.assets.stages.ends import WITHDRAWN, ToldEnd
from core.evidence.entries import Stated
from core.records.programs import Program, RegionStage, Statement
from core.records.stages import STAGES

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
                bool(getattr(getattr(statement, "statement", None), "is_expert", False)),
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
