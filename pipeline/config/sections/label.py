"""The section `label`: the column that the model learns to predict, and the task."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from pipeline.config.base import Section

Task = Literal["binary", "multiclass", "regression"]


class LabelConfig(Section):
    """The label column and the task."""

    column: str
    """The column to predict."""
    task: Task
    """The task: two classes, more classes, or a number."""
    classes: tuple[str, ...] = ()
    """The values of the label as written in the table; with two, the second is the positive \
class."""
    weight_column: str | None = None
    """The column with the weight of each row in training, if there is one."""
    max_missing: float = Field(default=0.05, ge=0, le=1)
    """The tolerated share of rows without a label; those rows are left out. A larger share stops \
the run."""

    @field_validator("classes", mode="before")
    @classmethod
    def _read_as_text(cls, value: object) -> object:
        # YAML reads 0, 1 and yes as numbers and booleans, while the table holds text.
        if not isinstance(value, (list, tuple)) or any(isinstance(v, (list, dict)) for v in value):
            return value
        return tuple(str(v).lower() if isinstance(v, bool) else str(v) for v in value)

    @model_validator(mode="after")
    def _check_classes_fit_task(self) -> LabelConfig:
        count = len(self.classes)
        if len(set(self.classes)) != count:
            raise ValueError("classes holds a value twice")
        if self.task == "regression" and count:
            raise ValueError("task regression has no classes")
        if self.task == "binary" and count != 2:
            raise ValueError(f"task binary needs two classes, not {count}")
        if self.task == "multiclass" and count < 3:
            raise ValueError(f"task multiclass needs three or more classes, not {count}")
        return self

    def predicts_the_same(self, other: str) -> bool:
        """Returns whether this section and `other`, as JSON, have the same column, task and \
classes."""
        label = LabelConfig.model_validate_json(other)
        return (self.column, self.task, self.classes) == (label.column, label.task, label.classes)
