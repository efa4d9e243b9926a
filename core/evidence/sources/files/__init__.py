"""One module a kind of file; `IMPORTERS` lists them all, the pickiest first."""

from core.evidence.sources.files import (
    accepted,
    companies,
    dated_lists,
    dealmaking,
    drugsfda,
    effects,
    ema,
    ema_lists,
    fda_books,
    fda_shortages,
    labels,
    letters,
    redbook,
    registers,
    spl,
    trials_table,
    trials_v2,
    uspto_chem,
)
from core.evidence.sources.files.forms.importers import Importer

_MODULES = (
    accepted,
    *(drugsfda, effects, trials_table, trials_v2, fda_books, companies, ema, ema_lists),
    *(dated_lists, letters, fda_shortages, labels, spl, uspto_chem, redbook, dealmaking, registers),
)
IMPORTERS: tuple[Importer, ...] = tuple(one for module in _MODULES for one in module.IMPORTERS)
