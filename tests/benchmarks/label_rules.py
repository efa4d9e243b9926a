"""What the labels at hand say of each class rule: how many whole ones warn of it, and which not.

`python -m tests.benchmarks.label_rules HOME`: HOME is an instance with the reference files. A rule
is known beside the labels; where labels at hand contradict it, it is to be looked at again.
"""

import sys
from pathlib import Path

from core.agents.label_strategy.tables import ClassRuleRow, classes_of_label
from core.evidence.assets.precedents.label_sheets import (
    newest_sheets,
    read_label_texts,
    read_sheets,
)
from core.evidence.names.identity.resolver import Resolver
from core.settings import Settings
from core.vocabulary.tables import load_rows
from storage.stores import open_stores
from tests.benchmarks.targets import say


def main(home: str) -> None:
    """Print each rule with its labels."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    sheets = [one for one in newest_sheets(read_sheets(stores.evidence, resolver)) if one.is_whole]
    classes = {one.record_id: set(classes_of_label(one)) for one in sheets}
    texts = read_label_texts(sheets, stores.evidence)
    silent = 0
    for rule in load_rows("class_rules", ClassRuleRow):
        members = [one for one in sheets if rule.class_name in classes[one.record_id]]
        told = {one: texts[one.record_id] for one in members}
        with_it = [
            one.brand
            for one, text in told.items()
            if (rule.term in text.boxed if rule.kind == "boxed" else text.has_rems)
        ]
        without = sorted({one.brand for one in members} - {*with_it})
        silent += not members
        say(
            f"{rule.class_name} | {rule.kind} | {rule.term} | {rule.setting or 'any'}: "
            f"{len(with_it)} of {len(members)}; not {', '.join(without) or 'none'}"
        )
    say(f"== of {silent} rules no whole label of the class is held")


if __name__ == "__main__":
    main(sys.argv[1])
