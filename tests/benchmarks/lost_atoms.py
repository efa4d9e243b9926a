"""Known drugs as the patents of the starter pack draw them: right, or with heteroatoms lost.

    python -m tests.benchmarks.lost_atoms

A molecule is right where its skeleton is that of a row of drug_structures.csv, and wrong where it
has carbons in place of the heteroatoms of such a drug, four at most; some of these are analogs
drawn on purpose. Of both the table counts how many are sure, and how many have no doubt. The groups
of lost_atoms.csv are counted on the same molecules.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from core.agents.compound_map.ranking import NO_BASIS, find_agreements, is_sure, read_marks
from core.agents.compound_map.reading import Delivered, Molecule
from core.agents.compound_map.trust import MOST_LOST, judge_trust
from core.chemistry.keeping import Notebook
from core.chemistry.lost_labels import blind_key, count_heteroatoms, has_lost_atoms
from core.chemistry.structures import Structure, read_structure
from core.evidence.sources.files.forms.importers import date_in_name
from core.evidence.sources.files.patent_packing import STRUCTURES, unpack_structures
from core.evidence.sources.files.uspto_chem import read_weekly
from core.evidence.sources.pack.patents import patent_files
from core.knowledge.drug_structures import drugs_by_graph, drugs_by_skeleton
from core.records.patents import RawStructure
from core.tables.rows import SourceFile
from tests.benchmarks.targets import say


def read_documents() -> Iterator[list[RawStructure]]:
    """Yield the strings of each document of the pack."""
    for path, _ in patent_files():
        source = SourceFile(path, date_in_name(path), "", lambda *_: None)
        for parsed in read_weekly(source):
            number = parsed.record.source_id
            spans = (one for one in parsed.record.spans if one.section == STRUCTURES)
            yield [raw for span in spans for raw in unpack_structures(number, span.text)]


def verdict_of(structure: Structure) -> str:
    """Return whether a molecule is a known drug, one with lost heteroatoms, or neither."""
    if structure.skeleton in drugs_by_skeleton():
        return "right"
    for drug in drugs_by_graph().get(blind_key(structure.smiles), ()):
        n_lost = count_heteroatoms(drug.smiles) - count_heteroatoms(structure.smiles)
        if n_lost <= MOST_LOST and has_lost_atoms(structure.smiles, drug.smiles):
            return "wrong"
    return ""


def main() -> None:
    """Print the counts."""
    best: dict[str, tuple[str, bool, bool]] = {}
    signs: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for raws in read_documents():
        graphs = [blind_key(raw.text) in drugs_by_graph() for raw in raws]
        if not any(graphs):
            continue
        places: dict[Structure, list[Delivered]] = defaultdict(list)
        for raw, is_of_drug in zip(raws, graphs, strict=True):
            if is_of_drug and (found := read_structure(raw.text)).verdict == "molecule":
                places[found].append(Delivered(raw))
        molecules = [Molecule(one, tuple(many)) for one, many in places.items()]
        marks = read_marks(molecules, Notebook())
        agreements = find_agreements(molecules, marks)
        for one, mark, agreement in zip(molecules, marks, agreements, strict=True):
            if not (verdict := verdict_of(one.structure)):
                continue
            trust = judge_trust(one, mark.flaws, NO_BASIS, agreement)
            skeleton = one.structure.skeleton
            _, sure, clean = best.get(skeleton, ("", False, False))
            best[skeleton] = (verdict, sure or is_sure(trust.score), clean or not trust.doubts)
            for sign in mark.signs:
                signs[sign][verdict].add(skeleton)
    counts = Counter(best.values())
    for verdict in ("right", "wrong"):
        total = sum(n for (word, *_), n in counts.items() if word == verdict)
        sure = sum(n for (word, is_so, _), n in counts.items() if word == verdict and is_so)
        clean = sum(n for (word, _, is_so), n in counts.items() if word == verdict and is_so)
        say(f"{verdict}: {total} molecules, {sure} sure, {clean} without doubt")
    for sign, found in sorted(signs.items()):
        say(f"{sign}: {len(found['right'])} right, {len(found['wrong'])} wrong")


if __name__ == "__main__":
    main()
