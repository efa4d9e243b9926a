"""Checks what a document says against the evidence, by rules alone.

Sentences become assertions (`running_text`, `table_rows`) about things that are named in them
(`entities`), assertions become verdicts (`drug_verdicts`, `trial_verdicts`, `figure_verdicts`,
`deal_verdicts`) with the facts of the evidence (`facts`), as far as every word of the sentence is
accounted for (`accounting`). A verdict that says anything names its record. Where a sentence may
be read in two ways, or the evidence may lack a record, the verdict is "not covered", never
"differs": a wrong correction is worse than none. Nothing leaves the machine.
"""
