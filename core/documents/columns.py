"""What the header of a table's column names, with its regulator and its unit."""

import re
from dataclasses import dataclass

ASIDE = "aside"
"""What says nothing of the drug: its place in the table, and where its facts come from."""
_COLUMNS = (
    (ASIDE, r"rank|no|nr|sources?|ref(?:erence)?s?|as of|(?:last )?updated|score|match|how sure"),
    (
        "drug",
        r"(?:lead |drug |development |clinical )*(?:drugs?|assets?|candidates?|products?|"
        r"compounds?|molecules?|medicines?|competitors?|agents?|programs?|therap(?:y|ies))|"
        r"(?:(?:brand|generic|drug|product|trade|asset) )?names?|brand|inn|interventions?",
    ),
    ("originator", r"originators?|discover(?:er|ed by)"),
    ("owner", r"(?:current )?owners?"),
    ("marketer", r"market(?:ers?|ed by)|(?:sold|distributed) by"),
    ("sponsor", r"(?:lead )?sponsors?"),
    ("partner", r"partners?|collaborators?|counterpart(?:y|ies)"),
    ("licensor", r"(?:out )?licensors?|sellers?|rights from|licensed (?:from|by)"),
    ("licensee", r"(?:in )?licensees?|buyers?|rights to|licensed to"),
    ("company", r"compan(?:y|ies)|develop(?:ers?|ed by)|manufacturers?|holders?|mah|others"),
    ("phase", r"(?:trial |study |clinical )?phase"),
    (
        "stage",
        r"(?:(?:highest|development|current|clinical|latest|regulatory|approval|marketing) )*"
        r"(?:stage|phase|status)(?: of development)?",
    ),
    ("approved use", r"approved (?:uses?|for|indications?)"),
    ("disease", r"(?:lead |target )?(?:indications?|diseases?|conditions?|uses?)"),
    ("target", r"(?:(?:drug|molecular) )?targets?|mechanisms?(?: of action)?|moa"),
    ("modality", r"kind|modalit(?:y|ies)|(?:drug )?(?:class|type)|format"),
    (
        "trial",
        r"(?:(?:trials?|stud(?:y|ies)|nct|registry)(?: (?:number|no|id|identifier|name))?)|"
        r"registration",
    ),
    ("region", r"regions?|agenc(?:y|ies)|regulators?|authorit(?:y|ies)|countr(?:y|ies)"),
    ("endpoint", r"(?:primary )?endpoints?|outcomes?|comparators?|controls?|arms?|masking"),
    (
        "participants",
        r"n|(?:(?:no|number) of )?(?:participants|patients)|enrol?lment|(?:sample )?size",
    ),
    ("primary completion", r"(?:estimated )?primary completion(?: date)?|pcd"),
    ("start", r"start(?: date)?"),
    ("submitted", r"(?:date )?(?:submitted|submission|filed|filing)(?: (?:on|date))?"),
    (
        "approved on",
        r"(?:(?:first|initial|date|year|of|marketing) )*"
        r"(?:approv(?:ed|als?)|authori[sz](?:ed|ation))(?: (?:date|on|in|year|day))?",
    ),
    ("target action date", r"pdufa(?: (?:goal )?date)?|(?:target )?action date|target date"),
    (
        "exclusivity",
        r"(?:last )?(?:loe|exclusivity)(?: (?:date|year|until))?|loss of exclusivity|"
        r"product patent|by law until|biologic until",
    ),
    ("boxed warning", r"box(?:ed)? warning|black box(?: warning)?"),
    ("upfront", r"up ?front(?: (?:payment|cash|fee))?|initial payment"),
    ("total", r"(?:(?:total|potential|deal|headline|overall) )*(?:total|value|size|consideration)"),
    ("milestones", r"milestones?(?: payments?)?|royalt(?:y|ies)|equity"),
    ("territory", r"territor(?:y|ies)|rights"),
    (
        "announced",
        r"(?:deal |date |signing )?(?:date|announced|announcement|signed)(?: (?:on|date))?",
    ),
)
_KINDS = tuple((kind, re.compile(words)) for kind, words in _COLUMNS)
_REGIONS = (
    ("FDA", r"FDA|U\.S\.A?|USA?|United States"),
    ("EMA", r"EMA|EC|EU|Europe(?:an Union)?"),
    ("PMDA", r"PMDA|MHLW|JP|Japan"),
    ("NMPA", r"NMPA|CFDA|CN|China"),
    ("MHRA", r"MHRA|UK|United Kingdom"),
)
_REGION_WORDS = tuple((key, re.compile(rf"(?<!\w)(?:{words})(?!\w)")) for key, words in _REGIONS)
_UNIT = re.compile(
    r"(?P<currency>US\s?\$|\$|\u20ac|\u00a3|\b(?:USD|EUR|GBP|CNY|RMB|JPY)\b)?\s*(?:in\s+)?"
    r"(?P<scale>\b(?:millions?|billions?|mm|mn|m|bn|b)\b|(?<=[$\u20ac\u00a3])(?:mm|mn|m|bn|b)\b)?"
    r"(?:\s+(?:of\s+)?(?P<behind>USD|EUR|GBP|CNY|RMB|JPY)\b)?",
    re.IGNORECASE,
)
_SCALES = {"m": "million", "b": "billion"}


@dataclass(frozen=True, slots=True)
class ColumnHeader:
    """A header as it is read.

    Attributes:
        kind: What its cells state; "" where that is unknown.
        region: Regulator.
        currency: Currency of its amounts.
        scale: "million" or "billion" of them.
        words: The header without regulator and unit, in small letters.
    """

    kind: str = ""
    region: str = ""
    currency: str = ""
    scale: str = ""
    words: str = ""


def find_regions(text: str) -> list[tuple[str, str]]:
    """Return the regulators or their countries that a cell names, with its words.

    >>> find_regions("Approved (US, EU)")
    [('FDA', 'US'), ('EMA', 'EU')]
    """
    return [(key, match[0]) for key, words in _REGION_WORDS for match in words.finditer(text)]


def read_header(text: str) -> ColumnHeader:
    """Return what a header says.

    >>> read_header("Approval date (EU)").kind, read_header("Approval date (EU)").region
    ('approved on', 'EMA')
    >>> read_header("Upfront (US$m)")
    ColumnHeader(kind='upfront', region='', currency='US$', scale='million', words='upfront')
    """
    rest, currency, scale = text[:200], "", ""
    for match in _UNIT.finditer(rest):
        sign = match["currency"] or match["behind"] or ""
        currency = currency or "".join(sign.split())
        scale = scale or _SCALES.get((match["scale"] or "")[:1].casefold(), "")
    if currency:
        rest = _UNIT.sub(lambda match: " " * bool(match[0]), rest)
    regions = find_regions(rest)
    for _, said in regions:
        rest = rest.replace(said, " ", 1)
    words = " ".join(re.findall(r"\w+", rest.replace("(s)", "").casefold()))
    kind = next((kind for kind, pattern in _KINDS if pattern.fullmatch(words)), "")
    region = regions[0][0] if len({key for key, _ in regions}) == 1 else ""
    return ColumnHeader(kind, region, currency, scale, words)
