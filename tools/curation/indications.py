"""What a register's words for certain say that a drug is for.

Labels also tell of studies, of causes, of other treatments and of patients who should not get a
drug. Of a text only the clauses that give a use are read, and a disease is kept only where the
clause has a word of its name.
"""

import re
from collections.abc import Iterable, Iterator

from core.evidence.readers.diseases import (
    WITH_ANOTHER,
    Disease,
    Diseases,
    drop_causes_of_edema,
    drop_germs,
    drop_outcomes,
    say_plainly,
)
from tools.curation.own_words import all_words

MOST_INDICATIONS = 40
FIRST_CHARACTERS = 20_000
"""Old labels go on about how to use a drug; its uses come first."""
LONGEST_OF_LIST = 240
"""Characters of an entry of a list of uses."""
LEAST_SHARED = 0.65
"""Part of a word of a disease's name with which a word of the text must begin."""
_REFERENCE = re.compile(
    r"[\[(]\s*(?:see [^\[\]()]*(?:\([^()]*\)[^\[\]()]*)*|"
    r"\d+(?:\.\d+)*(?:\s*,\s*\d+(?:\.\d+)*)*)\s*[\])]"
)
_NEXT = re.compile(r"\(\s*\d+(?:\.\d+)+\s*\)\s+(?=[A-Za-z])")
"""The number of a section after which the next use stands, without a point between them."""
_INFECTIONS = re.compile(
    r"(\bindicated\b[^.;:\n]*\binfections?\b[^.;:\n]*(?::|\bbelow\.|\bfollow\.))\s", re.IGNORECASE
)
"""What stands before a list of infections, each with the germs that cause it."""
_CLAUSE = re.compile(r"[^.;\n\u2022\u25cf\u25cb]+(?:\.(?=\d)[^.;\n\u2022\u25cf\u25cb]+)*")
_ASIDE = re.compile(
    r"\((?:(?:as )?defined|note|the usual|proteinuria|which|it|this|eg|exclud\w+|except|"
    r"combined end ?point)\b[^()]*\)",
    re.IGNORECASE,
)
"""Words in brackets that tell of something else than the clause in which they stand."""
_PROCEDURE = re.compile(
    r"\bat (?:the )?(?:resection|removal|excision|puncture|insertion) of [^.;,]*", re.IGNORECASE
)
"""What is done while a drug takes the pain: its object is not what the drug is for."""
_BREAK = re.compile(
    r"\b(?=WARNING|To reduce the development of|Lowering blood pressure|Adults: |"
    r"Efficacy was|Carefully consider|"
    r"Active ingredient|Limitations? of [Uu]se|LIMITATIONS? OF USE)"
)
_BEFORE = re.compile(
    r"\b(?:[\w-]+-refractory|post-(?:polycythemia vera|essential thrombocythemia))\b", re.IGNORECASE
)
"""What patients had before: a treatment that failed, a disease that went over into another."""
_USE = re.compile(
    r"\b(?:indicated|(?:treatment|management|control|relief|prevention|prophylaxis|therapy|"
    r"reduction|suppression|diagnosis) (?:of|in|for)|used (?:for|in|to)|to (?:treat|prevent|reduce|"
    r"control|relieve|improve|lower|delay)|treatment|maintenance)\b",
    re.IGNORECASE,
)
_NO_USE = re.compile(
    r"\b(?:stud(?:y|ies|ied)|trials?|efficacy|effective(?:ness)?|demonstrated|"
    r"established(?! (?:athero|cardio|coronary|CV\b))|"
    r"symptoms? (?:of|include)|"
    r"characteri[sz]ed|defined|criteria|should|must|cannot|careful\w*|caution|"
    r"monitor\w*|warnings?|adverse|usually|typically|however|although|recommended|experience|"
    r"(?:accelerated|continued) approval|physician|considered?|may (?:be|also|have|occur|not)|"
    r"not (?:indicated|for|used|recommended)|do(?:es)? not (?:prevent|treat|cure)|"
    r"no (?:evidence|data)|test(?:s|ing|ed)? (?:for|should)|rare|"
    r"contraindicated|unknown|ineffective|whether|(?:can|could|will|may) (?:cause|induce)|"
    r"mask|reduces the risk|outcome benefit|"
    r"epidemiolog\w+|"
    r"terms (?:being )?used|drugs? of choice|can occur|occur (?:at|in)|risk of \w+ is|"
    r"select patients|limitations? of use)\b",
    re.IGNORECASE,
)
"""Words of clauses that tell of something else."""
_RELIEF = re.compile(
    r"\b(?:relief|treatment|control|management|reduction|improvement) of (?:[\w,-]+ ){0,6}?"
    r"symptoms? of\b|\brelieve (?:[\w,-]+ ){0,3}?symptoms? of\b|"
    r"\bsigns (?:and|or) symptoms? of\b",
    re.IGNORECASE,
)
"""What is done against a disease, where "symptoms of" is no description of it."""
_APPROVED_SO = re.compile(r"\b(?:accelerated|continued) approval\b", re.IGNORECASE)
"""Words about an entry of a list of uses, after which the list goes on."""
_REST = re.compile(
    r"\b(?:characteri[sz]ed|as defined (?:in|by)|with symptoms of|"
    r"usually (?:in|with|as)|which (?:typically|usually)|who|whose|when|where|if|because|"
    r"unless|(?<!the )following|after|"
    r"secondary to (?!age-related|hypercortisolism)|due to|caused by|"
    rf"{WITH_ANOTHER}|"
    r"resulting from|such as|with (?:a )?history|"
    r"despite|refractory to|receiving|"
    r"undergoing|with or without|accompan\w+|complicated by|complications? of|"
    r"in the presence of|e\.?g\b|other than|"
    r"except|except for|without|not (?:adequately|controlled|responsive|responding)|"
    r"inadequately|as (?:an )?(?:adjunct|aid|component)(?: therapy)? to surgery|"
    r"with an elevated|osteolytic|(?<=nephropathy)\s+in (?:[\w-]+ )?(?:patients|adults)|"
    r"requiring|concomitant\w*|coexist\w+|intolerant|unresponsive|on the basis|"
    r"in patients on)\b.*?(?=, for the (?:\w+ )?treatment of\b|$)",
    re.IGNORECASE | re.DOTALL,
)
"""Words from which on a clause covers causes, conditions and comorbidities."""
_BESIDE = re.compile(
    r"\b(?:as )?(?:an )?adjunct(?:ive)?(?: therapy)? to (?:(?:an? )?(?:[\w-]+ ){0,3}?)diet\b"
    r"(?:,? (?:and|with) (?:increased )?(?:exercise|physical activity))?,?",
    re.IGNORECASE,
)
"""What patients do besides: what the drug is for stands behind it."""
_GUARDED = re.compile(
    r"(\b(?:(?:thrombo)?prophyla\w+|prevent\w*)\b[^.;\n\u2022]*?)\bin (?:[\w-]+ ){0,6}?"
    r"(?:patients?|recipients?|subjects|individuals|persons|people)\b(?=[^.;\n\u2022]*(?:malignan|leuk|cancer|"
    r"transplant|immunocompr|HIV|AIDS|\bburns?\b|undergoing|congenital heart))[^.;\n\u2022]*|"
    r"(\bin (?:[\w-]+ ){0,4}?(?:patients|individuals|persons|people) )with (?:the )?"
    r"(?:acquired immun\w+|AIDS(?!-))\b[^.;\n\u2022]*",
    re.IGNORECASE,
)
"""Whom a drug guards: what such patients have is not what it is for."""
_GENERIC_TEXT = """
acute adult and cancer carcinoma cell cells child childhood chronic congenital deficiency disease
disorder due familial female form genetic group human idiopathic in infection infectious male
malignant mellitus neoplasm of or primary rare secondary syndrome syndromic system the to tumor
type unspecified with
abl1 bcr positive
"""
_GENERIC = frozenset(_GENERIC_TEXT.split())
_NO_INDICATION = frozenset(
    {
        *("intestinal volvulus", "ulcer disease", "adenoma", "bone fracture"),
        *("rare", "not rare", "idiopathic", "syndromic disease", "iron poisoning", "menopause"),
        *("water intoxication", "rumination disorder", "toxemia of pregnancy", "familial"),
        *("toxic shock syndrome", "bronchial disorder", "child syndrome", "congenital or acquired"),
        *("pain agnosia", "psychologic dyspareunia", "migraine with brainstem aura"),
        *("substance abuse", "drug dependence", "poisoning", "toxicity", "body weight"),
        "respiratory system disorder",
    }
)
_WRITTEN_OTHERWISE = {
    "epilepsy": ("seizure", "convuls"),
    "immunodeficiency": ("hiv",),
    "obesity": ("weight", "obese"),
    "coronavirus": ("covid",),
    "covid": ("coronavirus",),
    "emesis": ("nausea", "vomiting"),
    "myocardial": ("heart",),
    "leukemia": ("leukaem",),
    "eczema": ("dermatitis",),
    "nephropathy": ("kidney", "renal"),
    "steatohepatitis": ("mash", "nash"),
    "plasma": ("myeloma",),
    "myelogenous": ("myeloid", "myelocytic"),
    "west": ("infantile",),
}
"""Words of a disease's name for which texts have others."""
_TUMOR = re.compile(r"\b(?:neoplasm|cancer|carcinoma|tumor)\b", re.IGNORECASE)
_OF_TUMORS = re.compile(
    r"neoplas|cancer|carcin|tumou?r|malignan|metasta|leuk|lymphom|sarcom|melanom|gliom|blastom|"
    r"oma\b|NSCLC|SCLC|GIST",
    re.IGNORECASE,
)
"""Words of which a text has one where a name of a tumor is meant: "soft tissue" alone is none."""
_WORDS = re.compile(r"[^\W_]+")
_ORDINAL = re.compile(r"\s(\d+[A-Z]?|[A-Z]|[IVX]+)$")


def read_indications(text: str, diseases: Diseases, *, is_plain: bool = False) -> list[str]:
    """Return the diseases that a text for certain says a drug is for, the closest ones.

    Args:
        text: Indications as a label or a register has them; "" where it does not say.
        diseases: Reads diseases.
        is_plain: Whether the text is nothing but a list of uses.
    """
    text = say_plainly(text)
    plain = (
        _GUARDED.sub(lambda match: match[1] or match[2], _ASIDE.sub(" ", text)) if is_plain else ""
    )
    plain = _PROCEDURE.sub(" ", plain)
    read = drop_outcomes(text)
    tries = (" . ".join(uses(read)), _first_use(read), _first_use(text))
    for attempt in [plain] if is_plain else tries:
        named_diseases = [
            disease
            for disease in diseases.in_texts([attempt])[attempt]
            if is_named(disease.name, attempt)
        ]
        names = [disease.name for disease in _without_kinds(named_diseases, diseases)][
            :MOST_INDICATIONS
        ]
        if names or all_words("use", attempt):
            return list(dict.fromkeys([*names, *all_words("use", attempt)]))
    return []


def _first_use(text: str) -> str:
    """Return what the first clause says that tells for what a drug is indicated."""
    clause = next(
        (clause for clause in _clauses(text) if re.search(r"\bindicated\b", clause, re.I)), ""
    )
    return _plain(clause)


def _clauses(text: str) -> list[str]:
    """Return the clauses at the beginning of a text; some labels have no point before a warning."""
    plain_text = drop_germs(_INFECTIONS.sub(r"\1\n", _NEXT.sub(" ; ", text[:FIRST_CHARACTERS])))
    plain_text = drop_causes_of_edema(plain_text)
    plain = _BEFORE.sub(" ", _REFERENCE.sub(" ", plain_text))
    plain = _ASIDE.sub(" ", plain.replace("e.g.", "eg"))
    return _CLAUSE.findall(_BREAK.sub(". ", plain))


def _plain(clause: str) -> str:
    """Return a clause without conditions, causes and what its patients have besides.

    >>> _plain("As an adjunct to diet to improve control in adults with diabetes who smoke").strip()
    'to improve control in adults with diabetes'
    """
    return _GUARDED.sub(lambda match: match[1] or match[2], _REST.sub("", _BESIDE.sub(" ", clause)))


def uses(text: str) -> Iterator[str]:
    """Yield the clauses of a text that give a use, without conditions and causes.

    >>> list(uses("X is indicated for asthma in adults who have gout. Studies show gout relief"))
    ['X is indicated for asthma in adults ']
    """
    is_list = False
    first = text[:FIRST_CHARACTERS]
    goes_on = bool(_INFECTIONS.search(first)) or len(_NEXT.findall(first)) > 1
    for clause in _clauses(text):
        plain = _plain(clause)
        if _NO_USE.search(_RELIEF.sub(" ", plain)):
            is_list = is_list and (goes_on or bool(_APPROVED_SO.search(plain)))
        elif _USE.search(plain) or (is_list and len(plain) < LONGEST_OF_LIST):
            is_list = is_list or bool(_LIST.search(clause))
            yield plain


_LIST = re.compile(
    r":\s*$|\bindicated\b[^.;]{0,80}\b(?:of|for|with|in)\s*$|\bindicated\b(?:\W+\w+){0,12}\W*:|"
    r"\bindicated (?:for|in) (?:the )?following|"
    r"\bindicated\b[^.;:]*\b(?:listed|following)\b",
    re.IGNORECASE,
)


def is_named(disease: str, text: str) -> bool:
    """Return whether a text has half of the words of a disease's name that are its own.

    >>> is_named("plasma cell myeloma", "for multiple myeloma")
    True
    >>> is_named("primitive neuroectodermal tumor", "for neuroendocrine tumors")
    False
    >>> is_named("interstitial lung disease 2", "for interstitial lung disease")
    False
    >>> is_named("gout, susceptibility to, 1", "for gout")
    False
    """
    if disease.casefold() in _NO_INDICATION or "susceptibility" in disease:
        return False
    ordinal = _ORDINAL.search(disease)
    words = disease[: ordinal.start()].removesuffix(" type").split() if ordinal else []
    if ordinal and not _has_ordinal(words[-1], ordinal[1], text):
        return False
    if _TUMOR.search(disease) and not _OF_TUMORS.search(text):
        return False
    text_words = {word.casefold() for word in _WORDS.findall(text)}
    disease_words = [word.casefold() for word in _WORDS.findall(disease)]
    disease_words = [
        word for word in disease_words if word not in _GENERIC and len(word) > 1
    ] or disease_words
    return 2 * sum(_is_written(word, text_words) for word in disease_words) >= len(disease_words)


def _has_ordinal(word: str, words: str, text: str) -> bool:
    """Return whether a text has an ordinal behind a word, in Roman or in Arabic figures.

    >>> _has_ordinal("disease", "I", "Gaucher disease type 1"), _has_ordinal("MPS", "4A", "MPS IVA")
    (True, True)
    >>> _has_ordinal("disease", "1", "inflammatory bowel disease, see section 1")
    False
    """
    figures = {words, *(arabic + words[len(roman) :] for roman, arabic in _ROMAN if words == roman)}
    figures |= {roman + words[1:] for roman, arabic in _ROMAN if words[:1] == arabic}
    shown = "|".join(sorted(figures))
    before = rf"(?:\b{re.escape(word.strip(','))}\W+(?:type\W+)?|\btypes?\W+)"
    return bool(re.search(rf"{before}(?:{shown})(?!\w)", text, re.IGNORECASE))


_ROMAN = (("I", "1"), ("II", "2"), ("III", "3"), ("IV", "4"), ("VI", "6"), ("VII", "7"))


def _is_written(word: str, words: Iterable[str]) -> bool:
    starts = (word[: max(4, round(len(word) * LEAST_SHARED))], *_WRITTEN_OTHERWISE.get(word, ()))
    return any(word.startswith(starts) for word in words)


def _without_kinds(named_diseases: list[Disease], diseases: Diseases) -> Iterator[Disease]:
    """Yield diseases without those that only name another one found less closely.

    What a text names in words of its own is kept, although lists have the other one as a kind of
    it: rheumatoid arthritis beside psoriatic arthritis.
    """
    above = {higher for disease in named_diseases for higher in diseases.above(disease.key)}
    yield from (
        disease
        for disease in named_diseases
        if disease.key not in above or not _WIDE.search(disease.name)
    )


_WIDE = re.compile(
    r"\b(?:disorder|system|(?:infectious|joint|heart|lung) disease)\b|"
    r"^(?:leukemia|anemia|hemophilia|thalassemia|polycythemia|hyperglycemia|"
    r"hypercalcemia disease)$",
    re.IGNORECASE,
)
"""Words of groups of diseases, which add nothing to one of them."""
