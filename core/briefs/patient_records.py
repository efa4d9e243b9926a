"""Records of the wire on the patients that trials choose and on what is measured in them."""

from typing import Annotated, Literal

from pydantic import Field

from core.briefs.records import SourceIds
from core.records.wire import Answer
from core.vocabulary.biomarkers import BiomarkerRole

Count = Annotated[int, Field(ge=0)]


class BiomarkerResult(Answer):
    """A biomarker by which trials choose patients."""

    name: str
    role: BiomarkerRole
    n_trials: Count
    drugs: list[str]
    source_ids: SourceIds


class EndpointResult(Answer):
    """An endpoint that trials measure."""

    endpoint: str = Field(description="Class of the endpoint, or its words where it has none.")
    endpoint_class: str = Field(description='Field of medicine; "" where it has no class.')
    role: Literal["primary", "secondary"]
    n_trials: Count
    timepoint: str | None = Field(description="Time frame most often written; null if none.")
    drugs: list[str]
    source_ids: SourceIds


class PatientSubset(Answer):
    """A group of patients that trials choose."""

    subset: str
    line: str | None
    definition: str
    n_trials: Count
    n_recruiting: Count
    drugs: list[str]
    source_ids: SourceIds
