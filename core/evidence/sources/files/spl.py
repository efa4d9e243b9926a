"""US labels as SPL documents (XML, HL7 v3), the form in which DailyMed gives them.

Site: dailymed.nlm.nih.gov; United States government, CC0. A document is read into the shape of
openFDA's label JSON, so that both forms of a label come to the same record and facts.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import Importer, begins
from core.evidence.sources.files.forms.xml_files import read_xml
from core.evidence.sources.files.labels import describe_label, label_drugs
from core.records.evidence import Parsed
from core.tables.rows import SourceFile

V3 = "{urn:hl7-org:v3}"
UNII = "2.16.840.1.113883.4.9"
LOINC = {
    "34066-1": "boxed_warning",
    "34067-9": "indications_and_usage",
    "34068-7": "dosage_and_administration",
    "34070-3": "contraindications",
    "43685-7": "warnings_and_cautions",
    "34071-1": "warnings",
    "34084-4": "adverse_reactions",
    "34092-7": "clinical_studies",
    "43679-0": "mechanism_of_action",
    "34073-7": "drug_interactions",
    "43684-0": "use_in_specific_populations",
    "42228-7": "pregnancy",
    "34081-0": "pediatric_use",
    "34082-8": "geriatric_use",
    "43683-2": "recent_major_changes",
}
"""LOINC codes of the sections that are read."""
_ACTIVE = frozenset({"ACTIB", "ACTIM", "ACTIR"})
_BLOCKS = frozenset(V3 + name for name in ("paragraph", "item", "td", "th", "caption", "title"))
_APPLICATION = re.compile(r"(?:NDA|ANDA|BLA)\d{6}")
Label = dict[str, object]


def read_spl(source: SourceFile) -> Iterator[Parsed]:
    """Yield the label of a document."""
    root = read_xml(source)
    if root is None:
        return
    label = read_document(root)
    names = label["openfda"]
    drugs = label_drugs(names) if isinstance(names, dict) else []
    if root.tag != f"{V3}document" or not set(LOINC.values()) & set(label):
        source.report(1, "no SPL document with a label section")
    elif not drugs:
        source.report(1, "the label names no drug")
    else:
        yield describe_label(label, drugs, source, 1)


def read_document(root: ET.Element) -> Label:
    """Return a document in the shape of openFDA's label JSON."""
    label: Label = {
        "set_id": _attribute(root, "setId", "root"),
        "effective_time": _attribute(root, "effectiveTime", "value"),
        "openfda": _read_names(root),
    }
    for section in root.iter(f"{V3}section"):
        name = LOINC.get(_attribute(section, "code", "code"))
        words = clean_text(" ".join(_words(section))) if name else ""
        if name and words and name not in label:
            label[name] = [words]
    return label


def _read_names(root: ET.Element) -> dict[str, list[str]]:
    """Return brands, generic names, active substances, labeler and applications.

    Names are those of the products themselves: the parts of a kit (a swab) have their own.
    """
    products = root.findall(f".//{V3}manufacturedProduct/{V3}manufacturedProduct")
    generic = f"{V3}asEntityWithGeneric/{V3}genericMedicine/{V3}name"
    substances = [
        substance
        for ingredient in root.iter(f"{V3}ingredient")
        if ingredient.get("classCode") in _ACTIVE
        for substance in ingredient.findall(f"{V3}ingredientSubstance")
    ]
    codes = [
        code.get("code", "")
        for substance in substances
        for code in substance.findall(f"{V3}code")
        if code.get("codeSystem") == UNII
    ]
    author = f"{V3}author/{V3}assignedEntity/{V3}representedOrganization/{V3}name"
    approvals = [
        element.get("extension", "") for element in root.iterfind(f".//{V3}approval/{V3}id")
    ]
    return {
        "brand_name": _texts([element for p in products for element in p.findall(_NAME)]),
        "generic_name": _texts([element for p in products for element in p.findall(generic)]),
        "substance_name": _texts([element for s in substances for element in s.findall(_NAME)]),
        "unii": _distinct(codes),
        "manufacturer_name": _texts(root.iterfind(author)),
        "application_number": _distinct(
            [approval for approval in approvals if _APPLICATION.fullmatch(approval)]
        ),
    }


_NAME = f"{V3}name"


def _texts(elements: "Sequence[ET.Element] | Iterator[ET.Element]") -> list[str]:
    return _distinct([clean_text("".join(element.itertext()), 300) for element in elements])


def _distinct(texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def _attribute(element: ET.Element, child: str, name: str) -> str:
    child_element = element.find(V3 + child)
    return child_element.get(name, "") if child_element is not None else ""


def _words(element: ET.Element) -> Iterator[str]:
    """Yield the text of a section with its subsections, without the highlights before it."""
    if element.tag == f"{V3}excerpt":
        return
    if element.text and element.text.strip():
        yield element.text
    for child in element:
        yield from _words(child)
        if child.tag in _BLOCKS:
            yield " "
        if child.tail and child.tail.strip():
            yield child.tail


IMPORTERS = (Importer("spl", begins("<document", "urn:hl7-org:v3"), read_spl),)
