"""Structures of drugs, drawn from their systematic names where Java is installed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.chemistry.names import read_names
from core.chemistry.structures import read_structure
from core.evidence.names.identity.name_forms import all_forms, settle_forms
from core.evidence.names.identity.resolver import Resolver
from core.identity_ports import Identity
from core.records.names import fold_name
from core.vocabulary.systematic_names import own_systematic_names

_GREEK = re.compile(r"\.([A-Z]+)\.")


@dataclass(frozen=True, slots=True)
class DrugStructure:
    """What is known of a drug's structure.

    Attributes:
        asked: Name as asked.
        drug: Name of the drug; "" where the name stands for none or for several.
        key: Its key; "" likewise.
        systematic_name: From which the structure was drawn; "" where none is held.
        smiles: Parent molecule; "" means no structure.
        inchikey: Of the parent.
    """

    asked: str
    drug: str = ""
    key: str = ""
    systematic_name: str = ""
    smiles: str = ""
    inchikey: str = ""


def read_drug_structures(
    names: Sequence[str], resolver: Resolver, identity: Identity
) -> list[DrugStructure]:
    """Return the structure of each drug, in the order asked; one process reads all names.

    A biologic, a drug without a systematic name and a name that OPSIN cannot read have no
    structure; nothing is guessed.
    """
    matches = resolver.resolve_many("drug", names)
    keys = {match.key: match.label for match in matches.values() if match.key}
    held = {key: read_systematic_name(key, identity, keys[key]) for key in sorted(keys)}
    told = [text for text in held.values() if text]
    drawn = settle_forms(told, read_names(all_forms(told)))
    found = []
    for name in names:
        match = matches[name]
        systematic = held.get(match.key, "")
        structure = read_structure(drawn.get(systematic, ("", ""))[0])
        is_whole = structure.verdict in {"molecule", "small", "reagent"}
        found.append(
            DrugStructure(
                name,
                match.label,
                match.key,
                systematic,
                structure.smiles if is_whole else "",
                structure.inchikey if is_whole else "",
            )
        )
    return found


def read_systematic_name(key: str, identity: Identity, drug: str = "") -> str:
    """Return the name that a drug's structure is drawn from; "" where none is held.

    Args:
        key: Of the drug.
        identity: Holds the names of the registers.
        drug: Its common name, by which a curator's own name is found where they hold none.
    """
    held = _spell_greek(identity.systematic_name(key))
    return held or own_systematic_names().get(fold_name(drug), "")


def _spell_greek(name: str) -> str:
    """Return a name with ".ALPHA." as "alpha"."""
    return _GREEK.sub(lambda found: found[1].lower(), name)
