"""What every agent on evidence does in the same way, so that it states only what is its own.

`skeleton` the run; `columns` one declaration for wire table, page, report and CSV; `subjects` what
lines are about; `citing` numbers and addresses of records; `memo` claims, proved; `notices` what a
reader must know; `report` the document. Of a question: `settings` what its fields come to, `areas`
diseases with their kinds. Of drugs: `crowding` density, shares, open fields, events ahead;
`figures` in words with their conditions, `compared` which may be put in order; `patients` what
trials measure, and in whom. An agent may call the parts and skip the run.
"""
