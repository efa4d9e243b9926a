"""Imported once by the fork server: the heavy imports that every child then has for free.

Three measures belong here because they must hold before the first fork: children never re-run the
launching script (after the first page view the main module is Streamlit's), the fork server dies
with the process that started it, and the garbage collector leaves what was imported alone, so
that a child does not copy it all.
"""

import gc
import importlib
import io
import multiprocessing.spawn
import os
import signal
from contextlib import suppress
from datetime import date

import pebble.concurrent  # noqa: F401 - a child that unpickles its task would import it

from core.execution.limits import die_with_parent
from core.logs import log_everything

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
# Arrow's own allocator reserves a gigabyte of writable memory, which each child would count
# against its bound.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

multiprocessing.spawn._fixup_main_from_path = lambda main_path: None  # type: ignore[attr-defined]  # noqa: SLF001
multiprocessing.spawn._fixup_main_from_name = lambda main_name: None  # type: ignore[attr-defined]  # noqa: SLF001
die_with_parent(signal.SIGKILL)
log_everything()


def build_records() -> None:
    """Build the validators of requests and answers, which are deferred until first use."""
    from pydantic import BaseModel

    from core.records.wire import Answer, Request

    waiting: list[type[BaseModel]] = [Answer, Request]
    while waiting:
        record = waiting.pop()
        record.model_rebuild()
        waiting.extend(record.__subclasses__())


def warm_writers() -> None:
    """Write a small table, as every child does at its end: the first one takes 20 ms longer.

    It uses no further thread, and the system's allocator.
    """
    import pandas as pd
    import pyarrow as pa
    from pyarrow import parquet

    importlib.import_module("pandas.io.parquet")
    frame = pd.DataFrame({"word": ["a", None], "number": [1.0, 2.0], "is_true": [True, False]})
    columns = pa.Table.from_pandas(frame, preserve_index=False, nthreads=1)
    parquet.write_table(columns, io.BytesIO(), use_dictionary=["word"])


if os.environ.get("BPW_PRELOAD", "1") == "1":
    from core.registry import all_agents

    for _agent in all_agents().values():
        with suppress(ImportError):  # the run itself reports what is missing
            importlib.import_module(_agent.pipeline)
            importlib.import_module(_agent.report)
    importlib.import_module("core.execution.entities")
    build_records()
    warm_writers()
    from core.errors import KnowledgeError
    from core.evidence.assets.curators_drugs import load_drugs
    from core.vocabulary.exchanges import read_calendar

    with suppress(KnowledgeError):  # likewise
        load_drugs()
        read_calendar("XNYS", date.max)

gc.collect()
gc.freeze()
gc.set_threshold(100_000, 20, 100)  # a run makes tens of thousands of facts, none of them garbage
