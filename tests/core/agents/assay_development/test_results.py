"""Uploaded tables of results: fits and verdicts against the plan's limits."""

import numpy as np
import pytest

from core.agents.assay_development import pipeline
from core.agents.assay_development.schema import AssayDevelopmentRequest
from core.errors import InvalidInput

DOSES = (0.1, 0.3, 1, 3, 10, 30, 100, 300)


def table(**samples: float) -> bytes:
    """Return a table of triplicates; each sample by its midpoint."""
    draw = np.random.default_rng(3)
    lines = ["Sample,Concentration (ng/mL),Signal"]
    for name, midpoint in samples.items():
        for dose in DOSES * 3:
            value = 10 + 90 / (1 + np.exp(-1.2 * (np.log(dose) - np.log(midpoint))))
            lines.append(f"{name},{dose},{value + draw.normal(0, 1):.3f}")
    return "\n".join(lines).encode()


def run(assay_context, assay_files, content: bytes):
    assay_files.contents["results"] = content
    request = AssayDevelopmentRequest.model_validate(
        {
            "modality": "antibody",
            "indication": "asthma",
            "assay_goal": "potency",
            "uploaded_files": ["results"],
        }
    )
    return pipeline.run(request, assay_context)


def test_samples_are_fitted_against_the_reference(assay_context, assay_files) -> None:
    data = run(assay_context, assay_files, table(reference=8, lot1=8, lot2=16))
    found = {one.sample: one for one in data.file_results}
    assert found["lot1"].relative_potency == pytest.approx(100, abs=8)
    assert found["lot2"].relative_potency == pytest.approx(50, abs=5)
    assert "parallel" in found["lot2"].verdict
    assert found["reference"].midpoint == pytest.approx(8, rel=0.1)
    assert [one.input for one in data.context_used].count("uploaded_files") == 1
    assert {one.basis for one in data.validation_plan.sample_sizes} == {"computed"}


def test_what_holds_no_results_is_told(assay_context, assay_files) -> None:
    data = run(assay_context, assay_files, b"gene,count\nA,1\n")
    assert data.file_results == []
    assert any(one.startswith("no_results:") for one in data.warnings)


def test_a_file_that_is_no_table_is_refused(assay_context, assay_files) -> None:
    with pytest.raises(InvalidInput, match="cannot be read as a table"):
        run(assay_context, assay_files, b"\xff\xfe\x00\x81")
