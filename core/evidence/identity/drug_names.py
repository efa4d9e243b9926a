"""Readings of a drug's name: without notes, doses, salts and suffixes; combinations split.

A reading never drops a word of the substance itself: sacituzumab govitecan is not sacituzumab
tirumotecan, and a pegylated or enantiopure drug is not its plain relative.
"""

import re
from collections.abc import Iterator

from core.records.names import fold_name

_NOTE = re.compile(r"\s*\[[^\[\]]*\]")
_ROUND = re.compile(r"\s*\(([^()]*)\)")
_SUFFIX = re.compile(r"-[a-z]{4}$", re.IGNORECASE)
_DOSE = re.compile(
    r"\b\d+(?:[.,]\d+)?\s*(?:-\s*\d+(?:[.,]\d+)?\s*)?(?:mg|mcg|µg|μg|ug|g|kg|ml|iu|u|units?|mmol|%)"
    r"(?:\s*/\s*(?:kg|m2|m²|ml|day|d|h|hr|dose|week|wk))*(?![\w-])",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"\b(?:film[- ]coated|extended[- ]release|modified[- ]release|delayed[- ]release|"
    r"tablets?|capsules?|injections?|infusions?|injectable|solutions?|suspension|cream|ointment|gel|"
    r"oral|intravenous(?:ly)?|subcutaneous(?:ly)?|intramuscular|intravitreal|inhaled|topical|"
    r"iv|i\.v\.|sc|s\.c\.|po|im|once daily|twice daily|daily|weekly|monotherapy|"
    r"low[- ]dose|high[- ]dose|dose \d+|dose level \d+|dose|doses|for injection|injection|"
    r"ophthalmic|pen|prefilled syringe|autoinjector)\b\.?",
    re.IGNORECASE,
)
_PRESENTATION = re.compile(
    r"(?:,?\s+(?:xl|er|cr|sr|xr|odt|ds|aq|hfa|la|usp|kit|preservative[- ]free|pediatric|"
    r"in (?:plastic|dextrose|sodium chloride|water)\b.*))+$",
    re.IGNORECASE,
)
_BIOLOGICS = (
    *("mab", "cept", "ase", "stim", "kin", "fusp", "gene", "cel", "poetin", "alfa", "beta"),
    *("tecan", "vedotin", "emtansine", "tansine", "tide", "lin", "tropin", "toxina", "tox"),
    *("parvovec", "mafodotin", "tesirine", "ozogamicin"),
)
"""Endings of the names that FDA gives its four-letter suffix."""
_JOIN = re.compile(
    r"\s*(?:\+|;|/|,|&|\bin combination with\b|\bcombined with\b|\bfollowed by\b|"
    r"\bplus\b|\band\b|\bwith\b|\bor\b)\s*",
    re.IGNORECASE,
)
_SALTS_TEXT = """
hydrochloride dihydrochloride hydrobromide sodium disodium trisodium potassium calcium
magnesium mesylate mesilate tosylate besylate besilate maleate fumarate hemifumarate
succinate hemisuccinate tartrate bitartrate citrate phosphate diphosphate sulfate sulphate
hemisulfate acetate benzoate malate nitrate oxalate lactate gluconate pamoate edisylate
esylate camsylate napsylate xinafoate propionate furoate monohydrate dihydrate hemihydrate
trihydrate sesquihydrate hydrate anhydrous hcl hbr meglumine tromethamine erbumine arginine
lysine olamine ditosylate dimesylate trifluoroacetate hydroxynaphthoate glucuronate
"""
SALTS = frozenset(_SALTS_TEXT.split())
_IONS_TEXT = """
sodium potassium calcium magnesium zinc iron lithium ammonium aluminum aluminium silver
copper barium strontium bismuth ferric ferrous hydrogen gallium gold selenium manganese
chromium cobalt acetic lactic citric sulfuric phosphoric nitric oxalic amino acid water
technetium
"""
IONS = frozenset(_IONS_TEXT.split())
_NO_DRUGS_TEXT = """
placebo vehicle saline control sham standardofcare chemotherapy bestsupportivecare soc
radiotherapy surgery none notreatment activecomparator observation vaccine antibiotics
"""
NO_DRUGS = frozenset(_NO_DRUGS_TEXT.split())


_ISOMERS = (
    (re.compile(r"\(\s*(?:\+\s*/\s*[-\u2212]|\u00b1|\+,\s*-|\+-)\s*\)-?"), "racemic "),
    (re.compile(r"\(\s*\+\s*\)-?"), "dextrorotatory "),
    (re.compile(r"\(\s*[-\u2212]\s*\)-?"), "levorotatory "),
    (re.compile(r"\(\s*([RSEZDL](?:\s*,\s*[RSEZDL])?)\s*\)-?", re.IGNORECASE), r"isomer \1 "),
)


def mark_isomers(name: str) -> str:
    """Return a name whose signs of handedness are words, which no reading drops.

    >>> mark_isomers("(-)-halofantrine"), mark_isomers("(S)-ketamine")
    ('levorotatory halofantrine', 'isomer S ketamine')
    """
    if "(" in name:
        for pattern, word in _ISOMERS:
            name = pattern.sub(word, name)
    return name


def strip_salt(name: str) -> str:
    """Return a name without its salt and water; as it was when nothing but an ion would stay.

    >>> strip_salt("imatinib mesylate"), strip_salt("sodium chloride")
    ('imatinib', 'sodium chloride')
    """
    words = name.split()
    while len(words) > 1 and words[-1].casefold() in SALTS:
        words.pop()
    kept = " ".join(words)
    return name if all(word.casefold() in IONS | SALTS for word in words) else kept


def strip_suffix(name: str) -> str:
    """Return a biologic's name without FDA's four-letter suffix.

    >>> strip_suffix("toripalimab-tpzi"), strip_suffix("abc-1234")
    ('toripalimab', 'abc-1234')
    """
    stem = _SUFFIX.sub("", name)
    return stem if stem.casefold().endswith(_BIOLOGICS) else name


def clean_label(name: str) -> str:
    """Return a label without notes in brackets, doses and forms."""
    name = _NOTE.sub("", name)
    name = _FORM.sub(" ", _DOSE.sub(" ", name))
    return re.sub(r"\s+", " ", name).strip(" -,;:.®™")


def is_no_drug(name: str) -> bool:
    """Return whether a label names a placebo, a control or a way of care instead of a drug."""
    plain = fold_name(clean_label(_ROUND.sub("", name)))
    return plain in NO_DRUGS or "placebo" in plain


def readings(name: str) -> Iterator[tuple[str, str]]:
    """Yield ways to read one drug's name, the plainest first, each with how it was read."""
    name = mark_isomers(name.replace("®", "").replace("™", "")).strip()
    yield name, "as written"
    outside = _ROUND.sub("", name).strip()
    plain = clean_label(outside)
    for said, how in ((outside, "without brackets"), (plain, "without dose and form")):
        if said and said != name:
            yield said, how
    bare = _PRESENTATION.sub("", plain)
    if bare and bare != plain:
        yield bare, "without presentation"
    for said, how in ((strip_salt(plain), "without salt"), (strip_suffix(plain), "without suffix")):
        if said and said != plain:
            yield said, how
    if not outside.endswith("-") and len(outside) > 0:
        for inside in _ROUND.findall(name):
            for part in map(clean_label, re.split(r"[,;/=]", inside)):
                if len(part) > 3:
                    yield part, "name in brackets"


def split_combination(name: str) -> list[str]:
    """Return the parts of a combination; one part when nothing joins.

    >>> split_combination("Nivolumab + ipilimumab (3 mg/kg)")
    ['Nivolumab', 'ipilimumab (3 mg/kg)']
    """
    brackets: list[str] = []

    def keep(found: re.Match[str]) -> str:
        brackets.append(found[0])
        return f"\x00{len(brackets) - 1}\x00"

    parts = _JOIN.split(_ROUND.sub(keep, name))
    restored = [re.sub(r"\x00(\d+)\x00", lambda m: brackets[int(m[1])], part) for part in parts]
    return [part.strip() for part in restored if part.strip()]
