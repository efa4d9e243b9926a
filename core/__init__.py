"""Everything that is true without a screen, a web server or a database.

Imports run downward only (checked by import-linter, see pyproject.toml):
exports -> results -> runner -> execution -> registry -> agents, curation -> briefs ->
workbench -> drafting -> evidence -> knowledge / stats / chemistry / reports / agent / ports ->
vocabulary -> records / errors / settings.
Rooms inside evidence: assets, patents -> sources, proof -> readers -> names.
`core` imports neither `api`, `pages`, `storage` nor streamlit, fastapi or sqlmodel.
"""
