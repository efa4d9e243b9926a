"""SQLModel tables, blobs and the stores over them: the only package that knows SQL.

The stores implement `core.ports`; `storage.stores.open_stores` opens all of them together.
The same code runs on SQLite (default) and PostgreSQL.
"""
