"""Salts, waters and acids in the names of drugs: which base a name counts under.

Only words that name a salt or a water are dropped. A salt of two plain ions (sodium chloride)
keeps its name, since nothing of a drug would stay.
"""

import re

_SALTS_TEXT = """
hydrochloride hydrobromide sodium potassium calcium magnesium mesylate mesilate tosylate
tosilate besylate besilate maleate fumarate succinate tartrate bitartrate citrate phosphate
sulfate sulphate acetate benzoate malate nitrate oxalate lactate gluconate pamoate edisylate
esylate camsylate napsylate xinafoate propionate furoate hydrate anhydrous hcl hbr meglumine
tromethamine erbumine arginine lysine olamine diolamine trifluoroacetate hydroxynaphthoate
glucuronate propanediol pidolate hyclate proline trifenatate ethanolate bisulfate bisulphate
diaspartate triflutate isethionate isetionate diethylamine epolamine lactobionate gluceptate
tannate polygalacturonate sulfosalicylate embonate methanesulfonate camphorsulfonate adipate
orotate malonate hydriodide strontium
"""
SALTS = frozenset(_SALTS_TEXT.split())
WATERS = frozenset({"hydrate", "anhydrous"})
_WHOLE_WATERS = frozenset({"chloral hydrate", "terpin hydrate"})
"""Drugs whose water is part of the molecule."""
_TIMES = re.compile(
    r"(?:mono|di|tri|tetra|penta|hexa|hepta|octa|nona|deca|hemi|sesqui|bis|tris)(?=[a-z]{4})"
)
_HANDED = re.compile(r"^(?:[dlrs]|dl)-|^\([rs]\)-")
"""How the acid of a salt turns light: "s-malate"."""
_IONS_TEXT = """
sodium potassium calcium magnesium zinc iron lithium ammonium aluminum aluminium silver
copper barium strontium bismuth ferric ferrous hydrogen gallium gold selenium manganese
chromium cobalt acetic lactic citric sulfuric phosphoric nitric oxalic amino acid water
technetium carbonate bicarbonate chloride bromide iodide fluoride hydroxide oxide sulfide
sulfite bisulfite metabisulfite thiosulfate borate silicate nitrite
"""
IONS = frozenset(_IONS_TEXT.split())
_LEADING = frozenset({"sodium", "disodium", "trisodium"})
"""Ions that stand before a name without being what the drug gives, as potassium or iron may."""


_ANIONS = frozenset(
    ["bromide", "chloride", "iodide", "methylsulfate", "metilsulfate", "metisulfate"]
)
_METALS_TEXT = """
thallium rubidium cesium caesium radium indium lanthanum cerium yttrium praseodymium thorium
palladium platinum zirconium rhodium ruthenium titanium antimony arsenic mercuric mercurous
stannous cupric ferrous auric cobaltous cerous
"""
_METALS = frozenset(_METALS_TEXT.split())
SHORTEST_BASE = 6
"""Letters of a base that an anion may belong to; shorter words are metals and groups."""


_SOLVENT = re.compile(
    r"(?<=\w) (?:dimethyl sulfoxide|(?:fumaric|succinic|maleic|malic) acid)$", re.IGNORECASE
)
_PARTS = re.compile(r"(?<=\w) \(\d:\d\)$")
"""How many parts of base and acid a name says: "perampanel hydrate (4:3)"."""
_ISOTOPE = re.compile(r"[a-z]{1,2}-\d{1,3}m?", re.IGNORECASE)
"""Next to an element it makes no base: technetium Tc-99m gluceptate is a drug as a whole."""
_ALSO_ESTERS = frozenset({"phosphate", "acetate", "maleate", "propionate", "furoate", "benzoate"})

_BOUND = _ALSO_ESTERS | {
    *("sulfate", "sulphate", "succinate", "citrate", "nitrate", "lactate", "glucuronate")
}
"""Acids whose salts and whose esters bear the same name: such a name may draw another molecule."""


def holds_base(name: str, base: str) -> bool:
    """Return whether a name is that of a base with counter-ions or water, and never of an ester.

    >>> holds_base("imatinib mesylate", "imatinib"), holds_base("tedizolid phosphate", "tedizolid")
    (True, False)
    >>> holds_base("tiotropium bromide monohydrate", "tiotropium")
    True
    """
    head, _, tail = name.casefold().rpartition(base.casefold() + " ")
    words = tail.split()
    is_plain = all(is_salt(word) or word in _ANIONS for word in words)
    return not head and bool(words) and is_plain and not any(map(_may_be_ester, words))


def _may_be_ester(word: str) -> bool:
    return bool(_BOUND & _once_or_more(word))


def is_salt(word: str) -> bool:
    """Return whether a word names a salt or a water, once or several times.

    >>> is_salt("pentahydrate"), is_salt("dihydrochloride"), is_salt("decanoate")
    (True, True, False)
    >>> is_salt("L-proline"), is_salt("hemi-pentahydrate"), is_salt("heminonahydrate")
    (True, True, True)
    """
    return bool(SALTS & _once_or_more(word))


def _once_or_more(word: str) -> set[str]:
    """Return a word as it stands, and without the words of number before it."""
    word = _HANDED.sub("", word.casefold()).removeprefix("hemi-")
    once = _TIMES.sub("", word, count=1)
    return {word, once, _TIMES.sub("", once, count=1)}


def strip_salt(name: str) -> str:
    """Return a name without its salt and water; as it was when nothing but an ion would stay.

    >>> strip_salt("imatinib mesylate"), strip_salt("sodium chloride")
    ('imatinib', 'sodium chloride')
    >>> strip_salt("tiotropium bromide monohydrate"), strip_salt("lithium bromide")
    ('tiotropium', 'lithium bromide')
    """
    words = _SOLVENT.sub("", _PARTS.sub("", name)).split()
    while len(words) > 1 and (is_salt(words[-1]) or _is_quaternary(words)):
        words.pop()
    stripped = " ".join(words)
    return name if all(_is_ion(word) for word in words) else stripped


def strip_water(name: str) -> str:
    """Return a name without the words of its water; its salt stays.

    >>> strip_water("docetaxel anhydrous"), strip_water("pemetrexed disodium heptahydrate")
    ('docetaxel', 'pemetrexed disodium')
    >>> strip_water("Anhydrous caffeine"), strip_water("chloral hydrate")
    ('caffeine', 'chloral hydrate')
    """
    words = _PARTS.sub("", name).split()
    dry_words = [word for word in words if not bool(WATERS & _once_or_more(word))]
    is_own = " ".join(words).casefold() in _WHOLE_WATERS
    return name if is_own or not dry_words or len(dry_words) == len(words) else " ".join(dry_words)


def find_bases(name: str) -> list[str]:
    """Return the names under which a salt may count, the likeliest first.

    A salt of an acid is named by its anion: the base of clavulanate potassium is clavulanic
    acid, that of sodium desoxycholate is desoxycholic acid.

    >>> find_bases("clavulanate potassium")
    ['clavulanate', 'clavulanic acid']
    >>> find_bases("lithium cation")
    ['lithium']
    """
    element = re.sub(r" cation$", "", name, flags=re.IGNORECASE)
    if element != name:
        return [element]
    bare = strip_salt(name)
    first, _, tail = bare.partition(" ")
    if first.casefold() in _LEADING and tail and not any(map(_is_ion, tail.split())):
        bare = tail
    if bare == name:
        return []
    stem = re.sub(r"ate$", "ic acid", bare, flags=re.IGNORECASE)
    return [bare] if stem == bare else [bare, stem]


def is_plain_salt(name: str) -> bool:
    """Return whether a name is that of a salt, and surely not of an ester.

    >>> is_plain_salt("glycopyrronium bromide"), is_plain_salt("thiamine diphosphate")
    (True, False)
    """
    last = _TIMES.sub("", name.casefold().rpartition(" ")[2], count=1)
    return last not in _ALSO_ESTERS and bool(find_bases(name))


def _is_quaternary(words: list[str]) -> bool:
    """Return whether a name ends in the anion of an organic base: "ipratropium bromide"."""
    *base, anion = (word.casefold() for word in words)
    is_organic = not any(_is_ion(word) or word in _METALS for word in base)
    return anion in _ANIONS and len(base[-1]) >= SHORTEST_BASE and is_organic


def _is_ion(word: str) -> bool:
    return word.casefold() in IONS or is_salt(word) or bool(_ISOTOPE.fullmatch(word))
