"""Compounds as files that chemists' programs read."""

from collections.abc import Sequence

from rdkit import Chem
from rdkit.Chem import rdDepictor

from core.agents.compound_map.columns import list_documents, list_places
from core.agents.compound_map.records import Compound


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
