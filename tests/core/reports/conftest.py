"""A document with every kind of block, and with text that tries to be more than text."""

from datetime import UTC, datetime

import pandas as pd
import pytest

from core.reports.document import (
    About,
    Bullets,
    Chart,
    Document,
    Front,
    Grid,
    Heading,
    Paragraph,
    SourceLine,
    Sources,
    Tile,
)

HOSTILE = (
    '#read("/etc/passwd")',
    "*b* _i_ $x$ `c`",
    "=cmd|' /C calc'!A0",
    "<script>alert(1)</script>",
    "W" * 400,
    '#eval("1+1") @label <tag> \\u{41} // c',
)


def bars(points: int = 3) -> Chart:
    """Return a bar chart with this many marks."""
    values = [{"group": f"g{number}", "count": number + 1} for number in range(points)]
    kind = "point" if points > 50 else "bar"
    axis = "quantitative" if points > 50 else "nominal"
    spec = {
        "data": {"values": values},
        "mark": kind,
        "width": 420,
        "height": 200,
        "encoding": {
            "x": {"field": "count" if points > 50 else "group", "type": axis, "title": "Group"},
            "y": {"field": "count", "type": "quantitative", "title": "Genes found"},
        },
    }
    return Chart(spec, "Genes per group", "Bars that rise from g0 to g2", points)


@pytest.fixture
def make_bars():
    return bars


@pytest.fixture
def hostile_texts() -> tuple[str, ...]:
    return HOSTILE


@pytest.fixture
def about() -> About:
    return About(
        run_uuid="5b0e4cf6-3f1e-4d1a-9a34-1d2f7a4a9d11",
        agent="differential-expression",
        agent_title="Differential expression",
        label="trt vs untrt",
        completed_at=datetime(2026, 3, 4, 5, 6, tzinfo=UTC),
        elapsed_s=12.34,
        request={"condition_column": "dex", "method": "all"},
    )


@pytest.fixture
def document(about: About) -> Document:
    blocks = (
        Heading("Results"),
        Paragraph("The **strongest** change is in FKBP5 [1]."),
        bars(),
        Grid(
            ("gene_id", "log2FC", "padj"),
            (("ENSG1", 2.5, 1e-9), ("ENSG2", -1.0, None)),
            "Top genes",
            40,
        ),
        Bullets(("first", "second")),
        Sources((SourceLine("1", "A paper", "https://doi.org/10.1/x", "paper", "2014"),)),
    )
    tiles = (
        Tile("Genes tested", "16,139"),
        Tile("Significant", "1,234", "of three methods"),
        Tile("Consensus", "987"),
    )
    front = Front(("FKBP5 rises **most** [1].",), tiles, bars(), ("2 samples shallow",))
    warnings = ("few: careful.", "starter_pack: small.")
    return Document("trt vs untrt", "Differential expression", about, blocks, warnings, front)


@pytest.fixture
def hostile(about: About) -> Document:
    rows = tuple((text, text, 1.0) for text in HOSTILE)
    blocks = (
        Heading(HOSTILE[0]),
        *(Paragraph(text) for text in HOSTILE),
        Bullets(HOSTILE),
        Grid((HOSTILE[0], "b", "c"), rows, HOSTILE[1]),
        Sources((SourceLine("1", HOSTILE[3], "javascript:alert(1)", HOSTILE[0], "x"),)),
    )
    tile = Tile(HOSTILE[4], HOSTILE[0], HOSTILE[3])
    front = Front(HOSTILE, (tile, tile, tile, tile), None, HOSTILE)
    return Document(HOSTILE[0], HOSTILE[1], about, blocks, HOSTILE, front)


class Tables:
    """Two tables in memory."""

    def names(self) -> list[str]:
        """Return the tables' names."""
        return ["DESeq2", "a/b:c*"]

    def read(self, name: str) -> pd.DataFrame:
        """Return a table with text, whole and missing numbers."""
        return pd.DataFrame(
            {
                "gene_id": ["ENSG1", "=1+1", "-7", name],
                "count": [1, 2, 3, 4],
                "padj": [1e-9, None, 0.5, float("inf")],
            }
        )


@pytest.fixture
def tables() -> Tables:
    return Tables()
