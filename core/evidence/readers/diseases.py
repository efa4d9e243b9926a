"""Which diseases conditions and indications name, with the identity pack's keys.

A list of infections names after each one the germs that cause it, often without a point before
the next one; "to reduce the risk of death and urgent heart failure visits" tells what was counted.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.evidence.names.identity.own_diseases import OWN
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.disease_phrases import NOT_ALONE, NOT_IT, find_diseases, warm
from core.records.identity import Match
from core.records.names import fold_name

_GERM = (
    r"(?i:strepto|staphylo|entero|pneumo|gono|meningo|pepto\w*)coc\w+|(?i:h[ae]+mophilus|"
    r"escherichia|klebsiella|proteus|pseudomonas|enterobacter|serratia|bacteroides|neisseria|"
    r"moraxella|mycoplasma|chlamyd|legionella|clostridi|acinetobacter|morganella|citrobacter|"
    r"salmonella|shigella|campylobacter|corynebacter)\w*|[A-Z]\. [a-z]{4,}"
)
_ILLNESS = (
    r"[Ii]nfections?|\w{3,}itis|[Pp]neumonia|[Ss]epticemia|[Bb]acteremia|[Gg]onorrhea|[Ss]epsis"
)
_GERMS = re.compile(
    r"\b(?:due to|caused by|resulting from|produced by) "
    rf"(?:(?!including\b)[\w()/-]+ ){{0,5}}?(?:{_GERM})"
    rf"(?:[^.;:\n\u2022]|(?<=\b[A-Z])\.|(?<=spp)\.)*?"
    rf"(?=\b(?:(?!Group\b)[A-Z][\w/-]*[a-z],? (?:[\w/-]+,? ){{0,4}}?(?:{_ILLNESS})|[A-Z]\w+itis)\b|"
    r"[.;:\n\u2022]|$)"
)
"""Germs of an infection, up to the next infection of a list that has no point between."""
_EDEMA = re.compile(
    r"(?<!macular )(?<!cerebral )(?<!pulmonary )\bedema\b[^.;\n]{0,80}?"
    r"\b(?:associated with|due to|caused by|resulting from|secondary to|accompanying)\b[^.;\n]*",
    re.IGNORECASE,
)
_HEART = re.compile(r"\b(?:congestive )?heart failure\b", re.IGNORECASE)
_OUTCOMES = re.compile(
    r"\bsustained eGFR decline\b|\bnon-?fatal (?:myocardial infarction|stroke)s?\b|"
    r"\bdoubling of serum creatinine or end[- ]stage (?:kidney|renal) disease\b|"
    r"\bend[- ]stage (?:kidney|renal) disease\b(?: \(\w+\))?(?=[^.;]*"
    r"\b(?:death|decline|doubling|hospitali[sz]ation)\b)|"
    r"\bhospitali[sz]ations? (?:for|due to) (?:worsening )?heart failure\b|"
    r"\b(?:worsening )?heart failure (?:\(\w+\) )?(?:hospitali[sz]ations?|(?:urgent )?visits?)\b|"
    r"\b(?:urgent|emergency) heart failure visits?\b|"
    r"\bincidence of (?:congestive )?heart failure\b|"
    r"\bunstable angina requiring hospitali[sz]ation\b",
    re.IGNORECASE,
)
"""What studies count in patients who have another disease."""


_MEANT = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"\bdementia of (?:the )?alzheimer'?s?['\u2019]?s? type\b", "Alzheimer disease"),
        (r"\bsmall lymphocytic leuk(?:a?e)mia\b", "small lymphocytic lymphoma"),
        (r"\bkawasaki['\u2019]?s? disease\b", "Kawasaki disease"),
        (
            r"\b(?:neovascular|exudative) \(wet\) age[- ]related macular degeneration\b",
            "wet macular degeneration",
        ),
        (
            r"\bage[- ]related macular degeneration (?:associated )?with (?:subfoveal|concurrent) "
            r"choroidal neovasculari[sz]ation\b",
            "wet macular degeneration",
        ),
    )
)
"""What texts write otherwise than lists of diseases do, which know a wider disease by the words."""
_BRITISH = tuple(
    (re.compile(british), american)
    for british, american in (
        (r"(?<=[Hh])aem|(?<=[a-z])aem(?=i)|(?<=\b[Aa]n)aem", "em"),
        (r"\boe(?=soph|dem|strog)", "e"),
        (r"\bOe(?=soph|dem|strog)", "E"),
        (r"(?<=rrh)oe|(?<=pn)oe", "e"),
        (r"(?<=tum)our", "or"),
        (r"(?<=[Pp])aed(?=iat)", "ed"),
    )
)
"""European texts write "leukaemia", "oesophageal", "apnoea", "tumour", "paediatric"."""
_OF_PATIENTS = re.compile(
    r"(?<=mobilize )([^.;\n]*?)\bin patients with\b[^.;\n]*|"
    r"(?<=mobilisation )[^.;\n]*|(?<=mobilization )[^.;\n]*|"
    r"\((?:with the exception of|except(?: for)?|excluding|other than)\b[^()]*\)|"
    r"\bwith the exception of\b[^.;\n]*|"
    r"\((?:[^()]*\b)?at risk (?:for|of)\b[^()]*\)|"
    r"\bat (?:(?:increased|high|higher) )?risk (?:for|of)\b[^.;,()\n]*|"
    r"(?<!impairment )(?<!dysfunction )\bin association with\b[^.;,\n]*|"
    r"\bassociated with (?:[\w-]+ ){0,3}injur(?:y|ies)\b|"
    r"\bin patients with a diagnosis of\b[^.;\n]*|"
    r"\bdrugs? used in (?:the )?treatment of\b[^.;,\n]*|\bnon-?cancer(?= pain\b)|"
    r"\bpost[- ](?:polycytha?emia vera|essential thrombocytha?emia)\b|"
    r"\brisk factors?,? (?:such as|including|like|e\.g\.)[^.\n]*|"
    r"\b(?:mood )?episodes? \([^()]*\)",
    re.IGNORECASE,
)
"""What the patients that a text describes have, or may get."""


def say_plainly(text: str) -> str:
    """Return a text with the names that lists know, without what its patients have besides.

    >>> say_plainly("for dementia of the Alzheimer's type (with cases at risk for gout)")
    'for Alzheimer disease '
    >>> say_plainly("in atrial fibrillation with risk factors, such as stroke; gout. For pain")
    'in atrial fibrillation with . For pain'
    >>> say_plainly("acute myeloid leukaemia, oesophageal tumours, anaemia, sleep apnoea")
    'acute myeloid leukemia, esophageal tumors, anemia, sleep apnea'
    >>> say_plainly("to mobilize stem cells in patients with myeloma").strip()
    'to mobilize stem cells'
    """
    for pattern, name in (*_BRITISH, *_MEANT):
        text = pattern.sub(name, text)
    return _OF_PATIENTS.sub(lambda match: match[1] or "", text)


def drop_germs(text: str) -> str:
    """Return a text whose lists of infections stand apart, without the germs.

    >>> drop_germs("Sinusitis due to Haemophilus influenzae Otitis media due to E. coli")
    'Sinusitis ; Otitis media ; '
    """
    return _GERMS.sub("; ", text)


def drop_causes_of_edema(text: str) -> str:
    """Return a text without the diseases that cause an edema; failure of the heart stays.

    >>> drop_causes_of_edema("for edema associated with heart failure, cirrhosis and gout")
    'for edema of heart failure'
    """

    def rest(match: re.Match[str]) -> str:
        heart = _HEART.search(match[0])
        return f"edema of {heart[0]}" if heart else "edema"

    return _EDEMA.sub(rest, text)


def drop_outcomes(text: str) -> str:
    """Return a text without outcomes that studies count in patients with another disease.

    >>> drop_outcomes("to reduce urgent heart failure visits in adults with gout")
    'to reduce events in adults with gout'
    """
    return _OUTCOMES.sub("events", text)


_MODIFIER = re.compile(
    r"\b(?:recurrent|refractory|relapsed?|relapsing or refractory|advanced|metastatic|locally|"
    r"unresectable|resectable|adult|childhood|pediatric|stage [ivx0-9]+[abc]?|anatomic|ajcc|v\d|"
    r"unspecified|protocol specific|previously treated|untreated|newly diagnosed|early[- ]stage|"
    r"moderate[- ]to[- ]severe|moderate|severe|mild|malignant(?= solid)|extensive[- ]stage|"
    r"and/or)\b",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*\(([^()]*)\)")


@lru_cache(maxsize=20_000)
def readings(condition: str) -> list[str]:
    """Return readings of a condition, the plainest first: without notes, then without its state.

    >>> readings("Metastatic Breast Cancer (MBC)")
    ['Metastatic Breast Cancer (MBC)', 'Metastatic Breast Cancer', 'Breast Cancer']
    """
    outside = _BRACKETS.sub("", condition).strip()
    plain = re.sub(r"[\s,;/|]+", " ", _MODIFIER.sub(" ", outside)).strip(" -")
    plain = re.sub(r"^(?:or|and|of|with)\s+", "", plain, flags=re.IGNORECASE)
    parts = re.split(r"\s+[-\u2013]\s+", outside)
    inside = [bracketed for bracketed in _BRACKETS.findall(condition) if len(bracketed) > 3]
    return list(
        dict.fromkeys(
            reading for reading in (condition, outside, *parts, *inside, plain) if reading
        )
    )


LONGEST_NAME = 7
"""Words of the longest name of a disease that is looked for in a text."""
LONGEST_TEXT = 20_000
_WORD = re.compile(r"[^\W_]+(?:['\u2019]s)?")
_GAP = re.compile(r"[ \-/\u2010\u2011\u2013\u2019']{1,2}")
_PLAIN_TEXT = """
a an the of in to with and or for by who whose have has had is are be as on at from that this
these not no adult adults pediatric patient patients treatment indicated use used when after
following prior therapy combination previously treated untreated first second line based
"""
_PLAIN = frozenset(_PLAIN_TEXT.split())
_ANY = frozenset({"disease", "human disease"})
"""Names of what every disease is a kind of."""
_OURS = ("MONDO:", OWN)
"""Keys of what counts as a disease in a text."""
_GENERIC = frozenset(
    fold_name(name)
    for name in (
        *("disease", "diseases", "cancer", "neoplasm", "neoplasms", "tumor", "tumors", "tumour"),
        *("carcinoma", "infection", "infections", "syndrome", "disorder", "pain", "malignancy"),
        *("malignant neoplasm", "solid tumor", "death", "hypersensitivity", "toxicity", "allergy"),
        *("inflammation", "injury", "recurrence", "complication", "lesion", "ulcer", "mutation"),
        *("relapse", "progression", "all", "bacterial infection", "adverse drug reaction"),
        *("bleeding", "hemorrhage", "fever", "emergencies", "hypotension", "shock", "pregnancy"),
        *("metastasis", "acute disease", "chronic disease", "surgery", "diarrhea", "nausea"),
        *("vomiting", "hypoglycemia", "anaphylaxis", "hepatotoxicity", "overweight", "comorbidity"),
        *("early-stage", "rare disease", "genetic disease", "response", "ms", "alk", "ret"),
        *("disease progression", "adenocarcinoma", "complete", "metastatic neoplasm"),
        *("inherited", "acquired", "congenital", "genetic", "body weight", "fibrosis", "healthy"),
        *("allergic", "alpha 1"),
        *("neoplasm metastasis", "advanced cancer", "metastatic cancer", "hematologic disease"),
        *("microsatellite instability", "neutropenia"),
        *("squamous cell carcinoma", "sarcoma", "thrombosis", "renal impairment", "anemia of"),
        *("liver disease", "infectious disease", "immunodeficiency", "chronic pain", "stage iv"),
        *("overdose", "risk", "necrosis", "cytomegalovirus", "injury", "trauma", "depression of"),
        *("aging", "lymphoma, non", "neoplasm malignant", "brain metastases", "disseminated"),
        *("restricted to specific location", "hyperplasia", "skin", "chromosome 17p deletion"),
        *("visual epilepsy", "amyloid", "blast crisis", "analgesia"),
    )
)
WITH_ANOTHER = (
    r"(?<!death )(?<!mortality )(?<!symptoms )(?<!pain )(?<!seizures )(?<!chorea )"
    r"(?<!episodes )(?<!bronchospasm )(?<!depression )(?<!hyperuricemia )"
    r"associated with(?! bipolar)"
)
"""Words before what a disease comes with; behind a symptom they tell the disease itself."""
_AMONG = re.compile(
    r"\b(?:in the presence of|with at least one|such as|e\.g\.|including but not|"
    r"who have(?! (?:relaps|refract|recurr|advanced|metasta|moderate|severe|newly))|"
    r"weight[- ]related|caused by|due to|"
    rf"{WITH_ANOTHER}|"
    r"complicated by|with or without|(?:may|can) follow|arising from|as a result of|"
    r"defined (?:by|as))\b[^.;]*|\(\s*e\.g\.[^()]*",
    re.IGNORECASE,
)
_NO_DISEASE = re.compile(
    r"\banaplastic lymphoma kinase\b|\bB[- ]cell lymphoma[- ]2\b|"
    r"\b(?:respiratory|cardiac|marrow|CNS|nervous system) depression\b|"
    r"\babuse,? (?:and|or) misuse\b|\bmisuse,? (?:and|or) abuse\b",
    re.IGNORECASE,
)
"""Names of genes and words of warnings that hold the name of a disease."""
_SEIZURES = re.compile(
    r"\b(?:partial|focal|epileptic|absence|myoclonic|atonic|tonic[- ]clonic|grand mal|petit mal)"
    r"(?:[- ]onset)? seizures?\b",
    re.IGNORECASE,
)
"""Seizures of one kind or other, which alone resolve to a rare kind of epilepsy."""
_PHASE = re.compile(
    r"\b(?:chronic|accelerated|blast(?:ic)?)"
    r"(?:[\s,-]+(?:or|and|chronic|accelerated|blast(?:ic)?|phase|\([A-Z]+\)))*[\s-]+"
    r"(?:phase|crisis)(?: \([A-Z]+\))?,?\s+(?:of |in )?"
    r"(?=(?:Ph\+ |Philadelphia[\w -]{0,25}? )?(?:chronic my|CML\b))",
    re.IGNORECASE,
)
"""Phases of chronic myeloid leukemia, of which lists have some as diseases of their own."""
_SHORT = re.compile(
    r" \([A-Za-z0-9-]{2,6}\)(?= (?:disease|syndrome|disorder|infections?|deficiency)\b)"
)
"""An abbreviation inside the name of a disease: "von Hippel-Lindau (VHL) disease"."""
_HYPERACTIVE = re.compile(r"\battention deficit disorders? with hyperactivity\b", re.IGNORECASE)
_TUMOR = re.compile(r"neoplasms?|cancer|carcinoma|tumou?r|malignant|gland", re.IGNORECASE)
_ILL = re.compile(
    r"neoplas|cancer|carcin|tumou?r|malign|disease|disorder|syndrome|oma\b|omas\b|leuk|C\b",
    re.IGNORECASE,
)
"""Words of names of illnesses; a name without them may be that of an organ."""
_CAUSE = re.compile(r" due to (.*\b(?:defect|deficiency|mutation)\b.*)")
_NUMBERED = re.compile(r", \d+$")
_ABBREVIATION = re.compile(r"[A-Z0-9]{1,5}s?|.{1,3}")
"""In a text the words are next to it; alone it may be short for something else."""
_PLAIN_WORD = re.compile(r"[A-Z]?[a-z]{3,5}")
_SENTENCE = re.compile(r"[^.]+\.?|\.")
_LIMIT = re.compile(
    r"\b(?:limitations? of use|not (?:indicated|recommended|been (?:established|studied))|"
    r"should not be used|do not use|not for|unknown whether|contraindicated|"
    r"(?<!reduce the )(?<!reduce )(?<!reducing the )(?<!reduction of )(?<!reduction in )"
    r"(?<!reduction of the )(?<!reduction in the )(?<!decrease the )(?<!lower the )"
    r"risk of(?! (?:fractur|progress|recurr|developing metasta|vitamin))|"
    r"because of the risks of|history of|consider other|instead of)\b",
    re.IGNORECASE,
)
"""Words of a sentence that names diseases for which a drug is not meant."""


@dataclass(frozen=True, slots=True)
class Disease:
    """A disease as a record names it.

    Attributes:
        key: Its key; "" where the name resolves to none.
        name: The entity's name, or the name as written.
    """

    key: str
    name: str


class Diseases:
    """Reads names of diseases with one identity pack."""

    def __init__(self, resolver: Resolver) -> None:
        """Keep the resolver."""
        self.resolver = resolver
        self._in_text: dict[str, tuple[Disease, ...]] = {}
        self._of_phrase: dict[str, list[Match]] = {}
        self._above: dict[str, frozenset[str]] = {}

    def read_ahead(self, conditions: Iterable[str]) -> None:
        """Resolve the conditions of many trials with few questions."""
        tried = [
            reading for condition in dict.fromkeys(conditions) for reading in readings(condition)
        ]
        matches = self.resolver.resolve_many("disease", tried)
        warm(
            (
                condition
                for condition in conditions
                if not any(matches[reading].key for reading in readings(condition))
            ),
            self.resolver,
        )

    def of_conditions(self, conditions: Sequence[str]) -> list[Disease]:
        """Return the diseases of a trial: the closest ones, and no kinds above them."""
        tried = {condition: readings(condition) for condition in conditions}
        matches = self.resolver.resolve_many("disease", sum(tried.values(), []))
        labels: dict[str, str] = {}
        general: dict[str, str] = {}
        for condition in conditions:
            full_matches = [
                matches[reading] for reading in tried[condition] if matches[reading].key
            ][:1]
            if not full_matches or fold_name(full_matches[0].label) in _GENERIC:
                full_matches = self._in_phrase(condition) or full_matches
            for match in full_matches:
                is_general = {fold_name(condition), fold_name(match.label)} & _GENERIC
                if match.label not in _ANY:
                    (general if is_general else labels)[match.key] = match.label
        labels = labels or general  # a sign of illness counts where nothing else is named
        above = {higher for key in labels for higher in self.above(key)}
        closest = [Disease(key, name) for key, name in labels.items() if key not in above]
        if closest:
            return closest
        plain = dict.fromkeys(tried[condition][-1] for condition in conditions)
        return [Disease("", name) for name in plain][:1]

    def _in_phrase(self, condition: str) -> list[Match]:
        """Return what a condition names that is no name as a whole."""
        if condition not in self._of_phrase:
            diseases = find_diseases(condition, self.resolver)
            self._of_phrase[condition] = [
                disease.match for disease in diseases if disease.match.key
            ]
        return self._of_phrase[condition]

    def _known(self, texts: Collection[str]) -> set[str]:
        """Return the words that are some disease's name; of runs of words few are.

        A plain word is not what others write in capitals alone: "read" is no rectum cancer.
        """
        folded = {phrase: fold_name(phrase) for phrase in texts}
        names = self.resolver.identity.lookup("disease", sorted(set(folded.values())))
        plain = {phrase for phrase in texts if _PLAIN_WORD.fullmatch(phrase)}
        folded = {
            phrase: key for phrase, key in folded.items() if phrase.casefold() not in NOT_ALONE
        }
        return {
            phrase
            for phrase, key in folded.items()
            if key in names and not (phrase in plain and all(x.name.isupper() for x in names[key]))
        }

    def above(self, key: str) -> frozenset[str]:
        """Return the diseases of which one is a kind, without itself."""
        if key not in self._above:
            self._above[key] = self.resolver.identity.ancestors("disease", key) - {key}
        return self._above[key]

    def is_kind_of(self, key: str, keys: Iterable[str]) -> bool:
        """Return whether a disease is one of those asked for, or a kind of one."""
        return bool(key) and not (self.above(key) | {key}).isdisjoint(keys)

    def in_texts(self, texts: Iterable[str]) -> Mapping[str, tuple[Disease, ...]]:
        """Return the diseases that each text of indications names, the longest names first."""
        distinct = dict.fromkeys(texts)
        left = [text for text in distinct if text not in self._in_text]
        runs = {text: _runs(_told(text)) for text in left}
        phrases = {phrase for group in runs.values() for _, _, phrase in group}
        known_phrases = self._known(phrases)
        matches = self.resolver.resolve_many("disease", known_phrases)
        for text in left:
            taken: set[int] = set()
            hidden: list[set[int]] = []
            diseases: dict[str, Disease] = {}
            known_runs = [run for run in runs[text] if run[2] in known_phrases]
            for start, length, phrase in sorted(known_runs, key=lambda run: (-run[1], run[0])):
                places = set(range(start, start + length))
                key = matches[phrase].key
                if matches[phrase].status == "unresolved" or places & taken:
                    continue
                if _says_more(matches[phrase].label, phrase):
                    continue
                if key and not key.startswith(_OURS):
                    if not {"and", "or"} & set(phrase.split()):
                        hidden.append(places)  # of the names in it the longest one is meant
                    continue
                taken |= places  # an ambiguous name still hides the shorter ones in it
                taken.update(*(span for span in hidden if places <= span))
                plain = {fold_name(phrase), fold_name(matches[phrase].label)}
                if key.startswith(_OURS) and not plain & _GENERIC:
                    diseases.setdefault(key, Disease(key, matches[phrase].label))
            self._in_text[text] = tuple(diseases.values())
        return {text: self._in_text[text] for text in distinct}


def _says_more(label: str, name: str) -> bool:
    """Return whether a disease has a genetic cause, or a number of a list, that no text meant.

    >>> _says_more("juvenile arthritis due to defect in LACC1", "juvenile arthritis")
    True
    >>> _says_more("dermatitis, atopic, 6", "atopic dermatitis 6")
    True
    >>> _says_more("soft tissue neoplasm", "soft tissue"), _says_more("lung cancer", "lung tumor")
    (True, False)
    """
    label_words = [word for word in _WORD.findall(label) if not _TUMOR.fullmatch(word)]
    starts = tuple(word[:4].casefold() for word in _WORD.findall(name))
    if len(label_words) < len(_WORD.findall(label)) and not _ILL.search(name):
        return bool(label_words) and all(word.casefold().startswith(starts) for word in label_words)
    cause = _CAUSE.search(label)
    words = {fold_name(word) for word in _WORD.findall(cause[1])} if cause else set()
    if cause and not words & {fold_name(word) for word in _WORD.findall(name)}:
        return True
    return bool(_NUMBERED.search(label)) and name[-1:].isdigit()


def _told(text: str) -> str:
    """Return what a text says a drug is for, without causes, limits and names of genes.

    >>> _told("For anaplastic lymphoma kinase (ALK)-positive NSCLC and partial seizures")
    'For  |  (ALK)-positive NSCLC and epilepsy'
    """
    plain_text = drop_causes_of_edema(say_plainly(_drop_limits(text[:LONGEST_TEXT])))
    plain = _NO_DISEASE.sub(" | ", plain_text)
    plain = _HYPERACTIVE.sub("attention deficit hyperactivity disorder", _SHORT.sub("", plain))
    return _PHASE.sub(" ", _SEIZURES.sub("epilepsy", _AMONG.sub(" | ", plain)))


def _drop_limits(text: str) -> str:
    """Return a text without the sentences that name limits of use.

    >>> _drop_limits("For asthma. Not for gout. For pain")
    'For asthma.  For pain'
    """
    return _SENTENCE.sub(lambda match: " " if _LIMIT.search(match[0]) else match[0], text)


def _runs(text: str) -> list[tuple[int, int, str]]:
    """Return place, number of words and words of every run that may be a disease's name."""
    matches = list(_WORD.finditer(text))
    words = [match[0] for match in matches]
    ends = list(range(len(words)))  # the last word that a run from each place may have
    for index in range(len(words) - 2, -1, -1):
        gap = text[matches[index].end() : matches[index + 1].start()]
        ends[index] = ends[index + 1] if _GAP.fullmatch(gap) else index
    return [
        (index, last - index + 1, " ".join(words[index : last + 1]))
        for index in range(len(words))
        if words[index].casefold() not in _PLAIN
        and (not index or words[index - 1].casefold() != NOT_IT)
        for last in range(index, min(ends[index], index + LONGEST_NAME - 1) + 1)
        if words[last].casefold() not in _PLAIN
        and (last > index or not _ABBREVIATION.fullmatch(words[index]))
    ]


@lru_cache(maxsize=4)
def diseases_of(resolver: Resolver) -> Diseases:
    """Return the diseases of a resolver, read once."""
    return Diseases(resolver)
