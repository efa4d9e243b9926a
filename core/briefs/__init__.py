"""What every agent on evidence does in the same way, so that it states only what is its own.

`columns` one declaration for wire table, page, report and CSV; `subjects` what lines are about;
`citing` numbers and addresses of records; `memo` claims, proved; `notices` what a reader must
know; `skeleton` the run; `report` the document. An agent may call the parts and skip the run.
"""
