"""The ledger of language models: one line for every request, failed ones among them."""

from collections.abc import Sequence
from datetime import datetime
from itertools import takewhile

import sqlalchemy as sa
from sqlmodel import col, select

from core.records.model import FAILING, ModelCall, ModelTotal
from storage.base import Store
from storage.tables import ModelCallRow


class ModelCallStore(Store):
    """The ledger (core.model_ports.ModelCalls)."""

    def add(self, call: ModelCall) -> None:
        """Write one line."""
        values = {name: getattr(call, name) for name in ModelCall.__dataclass_fields__}
        with self._database.write() as session:
            session.add(ModelCallRow(**values))

    def tokens_since(self, user_id: int, since: datetime) -> int:
        """Return the tokens that a caller has used since an instant."""
        return sum(
            total.input_tokens + total.output_tokens for total in self.totals_since(user_id, since)
        )

    def totals_since(self, user_id: int, since: datetime) -> Sequence[ModelTotal]:
        """Return what a caller has used since an instant, by task and model."""
        row = ModelCallRow
        groups = (col(row.task), col(row.provider), col(row.model))
        sums = [sa.func.sum(col(value)) for value in (row.input_tokens, row.output_tokens)]
        query = (
            sa.select(*groups, sa.func.count(), *sums)
            .where(col(row.user_id) == user_id, col(row.at) >= since)
            .group_by(*groups)
            .order_by(*groups)
        )
        with self._database.read() as session:
            rows = session.execute(query).all()
        return [ModelTotal(*line[:3], *map(int, line[3:])) for line in rows]

    def last_failures(self, provider: str, model: str, most: int) -> Sequence[datetime]:
        """Return when a model failed since it last answered, the newest first."""
        row = ModelCallRow
        query = (
            select(row)
            .where(col(row.provider) == provider, col(row.model) == model)
            .order_by(col(row.id).desc())
            .limit(most)
        )
        with self._database.read() as session:
            calls = session.exec(query).all()
        return [call.at for call in takewhile(lambda call: call.outcome in FAILING, calls)]
