"""Clinical compounds that a full competitive landscaping knows besides those held here.

No agent imports another: the landscaping is run by its name, and its answer is read as the wire
has it. Where it fails, the reference rests on the local evidence, and the answer says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from core.agents.compound_map.map_records import LandscapeStatus
from core.errors import (
    AgentTimeout,
    ExecutionError,
    RunCancelled,
    WorkbenchError,
)
from core.evidence.assets.clinical import NOT_CLINICAL
from core.evidence.names.identity.drug_structures import read_systematic_name
from core.records.evidence import Record
from core.records.names import fold_name
from core.records.patents import ClinicalCompound
from core.records.sources import Source
from core.records.stages import Stage
from core.workbench import RunContext

AGENT = "competitive-landscaping"
MOST_DRUGS = 500
KEY = "landscape"
_LONGEST = 300
Line = Annotated[str, Field(max_length=1_000)]


class _Drug(BaseModel):
    """What is read of a drug row."""

    drug_name: Line
    aliases: list[Line] = []
    modality: Line = ""
    highest_stage: Stage
    drug_key: Line | None = None
    as_of: Line = ""
    is_expert_only: bool = False
    source_ids: list[Line] = []


class _Answer(BaseModel):
    """What is read of a landscaping."""

    drugs: list[_Drug]
    sources: list[Source]


@dataclass(frozen=True)
class Landscape:
    """What a landscaping added.

    Attributes:
        compounds: Clinical compounds that were not known here.
        status: Whether it was asked, and answered.
        message: In words.
        records: Its sources by the key under which they are cited.
    """

    compounds: Sequence[ClinicalCompound] = ()
    status: LandscapeStatus = "local"
    message: str = "Only the local evidence was read, as asked for."
    records: Mapping[str, Record] = field(default_factory=dict)


def ask_landscape(symbol: str, known: Sequence[ClinicalCompound], context: RunContext) -> Landscape:
    """Ask for the landscape of a target and return what it adds.

    Args:
        symbol: Approved symbol.
        known: Clinical compounds that are known here.
        context: Runs the other agent.
    """
    request = {"query": f"drugs targeting {symbol}", "query_type": "both"}
    try:
        answer = _read(context.run(AGENT, request))
    except (RunCancelled, AgentTimeout, ExecutionError):  # they end this run too
        raise
    except WorkbenchError as failure:
        return _fail(failure.message)
    except ValidationError:
        return _fail("its answer cannot be read")
    if answer is None:
        return _fail("it is not available here")
    return _merge(answer, known, context)


def _fail(reason: str) -> Landscape:
    message = f"Competitive landscaping gave no answer ({reason}); the local evidence alone counts."
    return Landscape(status="partial", message=message)


def _read(answer: object) -> _Answer | None:
    """Return the parts of an answer that count; None where there is none."""
    plain: Any = answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer
    return None if plain is None else _Answer.model_validate(plain)


def _merge(answer: _Answer, known: Sequence[ClinicalCompound], context: RunContext) -> Landscape:
    """Return the drugs of an answer that are clinical and new, each with its sources."""
    keys = {one.key for one in known if one.key}
    names = {fold_name(name) for one in known for name in (one.name, *one.names)}
    cited = {one.id: f"{KEY}:{one.id}" for one in answer.sources}
    added = []
    for drug in answer.drugs[:MOST_DRUGS]:
        said = {fold_name(name) for name in (drug.drug_name, *drug.aliases)}
        if drug.highest_stage in NOT_CLINICAL:
            continue
        if drug.drug_key in keys or said & names:
            continue
        names |= said
        added.append(_describe(drug, cited, context))
    used = {record_id for one in added for record_id in one.record_ids}
    records = {
        cited[one.id]: Record(KEY, one.id, one.url, one.source_type, one.title[:_LONGEST])
        for one in answer.sources
        if cited[one.id] in used
    }
    message = (
        f"Competitive landscaping was asked and adds {len(added) or 'no'} clinical "
        f"compound{'' if len(added) == 1 else 's'} to those of the local evidence."
    )
    return Landscape(added, "full", message, records)


def _describe(drug: _Drug, cited: Mapping[str, str], context: RunContext) -> ClinicalCompound:
    """Return a drug, to be drawn from the systematic name that identity holds."""
    name = read_systematic_name(drug.drug_key, context.resolver.identity) if drug.drug_key else ""
    return ClinicalCompound(
        drug.drug_name,
        tuple(drug.aliases),
        drug.highest_stage,
        name,
        "systematic_name" if name else "none",
        tuple(cited[one] for one in drug.source_ids if one in cited),
        drug.as_of,
        drug.drug_key or "",
        drug.modality,
        drug.is_expert_only,
    )
