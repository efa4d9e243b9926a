"""The flat table of the answer: drugs, for spreadsheets and for paging."""

from collections.abc import Mapping, Sequence

from core.agents.competitive_landscaping.records import DrugRow
from core.agents.competitive_landscaping.table_records import DrugLine, DrugTable


def tabulate_drugs(drugs: Sequence[DrugRow]) -> DrugTable:
    """Return the drugs as lines."""
    import pandas as pd

    rows = [_line(one).model_dump() for one in drugs]
    return DrugTable("drugs", pd.DataFrame(rows, columns=list(DrugLine.model_fields)))


def _line(one: DrugRow) -> DrugLine:
    plain = one.model_dump()
    same = {name: plain[name] for name in DrugLine.model_fields if name in plain}
    joined = {
        name: "; ".join(plain[name]) for name in ("partners", "trial_ids", "aliases", "unconfirmed")
    }
    return DrugLine.model_validate(
        same
        | joined
        | {
            "regions": _pairs(one.regions),
            "drug_key": one.drug_key or "",
            "sources": " ".join(one.source_ids),
        }
    )


def _pairs(found: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {stage}" for name, stage in found.items())
