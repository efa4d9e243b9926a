"""Searches of the web, and pages that are opened without trusting anything they say.

Decision of 2026-11-29: an address comes from a search or from a record of the evidence, never from
a model or a page. `addresses` decides what may be opened, `fetch` alone opens it, `page_text` reads
it in a process of its own, and `visits` counts what a run may ask and keeps what came with the run.
"""
