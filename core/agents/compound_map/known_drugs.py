"""Whether a scaffold is of a known drug: its own, a part of it, or of a compound very like it."""

from collections.abc import Sequence

from rdkit import Chem

from core.agents.compound_map.clinical import Reference
from core.agents.compound_map.records import Nearest
from core.chemistry.similarity import THRESHOLD
from core.chemistry.structures import find_scaffold, parse_smiles
from core.evidence.proof.claims import unmark

MOST_DRUGS = 3
FEWEST_ATOMS = 12
"""A smaller scaffold is a part of half of all drugs and tells nothing of one."""


class Drugs:
    """The clinical compounds of a target, asked by scaffold."""

    def __init__(self, reference: Reference) -> None:
        """Read the scaffolds of those with a structure."""
        self._names: dict[str, list[str]] = {}
        self._molecules: list[tuple[str, Chem.Mol]] = []
        for one, structure in zip(reference.compounds, reference.structures, strict=True):
            molecule = parse_smiles(structure.smiles) if structure.smiles else None
            if molecule is None:
                continue
            self._molecules.append((unmark(one.name), molecule))
            scaffold = find_scaffold(structure.smiles)
            if scaffold:
                self._names.setdefault(scaffold, []).append(unmark(one.name))

    def say(self, scaffold: str, near: Nearest | None) -> str:
        """Say of which drugs a scaffold is; "" for none.

        Args:
            scaffold: As SMILES.
            near: Clinical compound that is most like a compound of this scaffold.
        """
        if own := self._names.get(scaffold):
            return f"scaffold of {_name(own)}"
        if parts := self._holders(scaffold):
            return f"a part of {_name(parts)}"
        if near is not None and near.tanimoto >= THRESHOLD:
            return f"very like {near.id} ({near.tanimoto:.2f})"
        return ""

    def _holders(self, scaffold: str) -> list[str]:
        """Return the drugs that have the scaffold within theirs."""
        query = parse_smiles(scaffold)
        if query is None or query.GetNumHeavyAtoms() < FEWEST_ATOMS:
            return []
        return [name for name, molecule in self._molecules if molecule.HasSubstructMatch(query)]


def _name(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_DRUGS])
