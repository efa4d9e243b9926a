"""Compounds as a flat table, and as files that chemists' programs read."""

from collections.abc import Sequence

import pandas as pd
from rdkit import Chem
from rdkit.Chem import rdDepictor

from core.agents.compound_map.records import Compound
from core.agents.compound_map.table_records import CompoundLine, CompoundTable

_JOINED = ("patents", "assignees", "same_skeleton", "xy", "properties", "nearest_clinical")


def tabulate_compounds(compounds: Sequence[Compound]) -> CompoundTable:
    """Return the compounds as lines."""
    rows = [_line(one).model_dump() for one in compounds]
    return CompoundTable("compounds", pd.DataFrame(rows, columns=list(CompoundLine.model_fields)))


def _line(one: Compound) -> CompoundLine:
    same = {
        name: getattr(one, name)
        for name in CompoundLine.model_fields
        if name in Compound.model_fields and name not in _JOINED
    }
    near = one.nearest_clinical
    return CompoundLine(
        **same,
        documents="; ".join(list_documents(one)),
        places="; ".join(list_places(one)),
        assignees="; ".join(one.assignees),
        same_skeleton=" ".join(one.same_skeleton),
        x=one.xy[0],
        y=one.xy[1],
        **one.properties.model_dump(),
        nearest_clinical=near.id if near else "",
        clinical_tanimoto=near.tanimoto if near else None,
        sources=" ".join(one.source_ids),
    )


def list_documents(one: Compound) -> list[str]:
    """Return the documents that draw a compound, each once."""
    return list(dict.fromkeys(place.publication_number for place in one.patents))


def list_places(one: Compound) -> list[str]:
    """Return the places of a compound in words."""
    return [
        " ".join(
            part
            for part in (place.publication_number, place.location, place.image_or_block)
            if part
        )
        for place in one.patents
    ]


def write_smiles(compounds: Sequence[Compound]) -> bytes:
    """Return the compounds as SMILES with id, source and confidence, one a line."""
    lines = [
        f"{one.smiles}\t{one.id}\t{one.extraction_method}\t{one.confidence_score}"
        for one in compounds
    ]
    return (
        "smiles\tid\tmethod\tconfidence_score\n" + "".join(f"{line}\n" for line in lines)
    ).encode()


def write_sdf(compounds: Sequence[Compound]) -> bytes:
    """Return the compounds as SDF with 2D coordinates, sources and confidence."""
    return "".join(_write_record(one) for one in compounds).encode()


def _write_record(one: Compound) -> str:
    molecule = Chem.MolFromSmiles(one.smiles)
    rdDepictor.Compute2DCoords(molecule)
    molecule.SetProp("_Name", one.id)
    fields = {
        "SMILES": one.smiles,
        "INCHIKEY": one.inchikey,
        "METHOD": one.extraction_method,
        "CONFIDENCE_SCORE": str(one.confidence_score),
        "ROLE": one.role,
        "CLAIMED": "yes" if one.claimed else "no",
        "DOCUMENTS": "; ".join(list_documents(one)),
        "PLACES": "; ".join(list_places(one)),
        "ASSIGNEES": "; ".join(one.assignees),
        "FIRST_DISCLOSED_ON": one.first_disclosed_on,
    }
    told = "".join(f">  <{name}>\n{_one_line(text)}\n\n" for name, text in fields.items() if text)
    return f"{Chem.MolToMolBlock(molecule)}{told}$$$$\n"


def _one_line(text: str) -> str:
    """Return text of a source that cannot end its field or its record early."""
    return " ".join(text.split()).replace("$$$$", "$ $ $ $")[:2_000]
