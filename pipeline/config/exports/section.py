"""The section `exports`: smaller and faster forms of the model."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from pipeline.config.base import Section

Format = Literal["onnx", "tflite"]
Quantize = Literal["none", "float16", "dynamic", "int8"]

_NO_TENSORRT = (
    "TensorRT builds its engine for the GPU that runs it, so this pipeline builds none. Export "
    "`onnx`, and run `trtexec --onnx=FILE` on a host with that GPU: see docs/exports.md"
)
_WITH_WHOLE_NUMBERS = ("dynamic", "int8")


class ExportConfig(Section):
    """One form of the model: a file that runs without TensorFlow."""

    format: Format
    """`onnx`: a file for ONNX Runtime; `tflite`: a file for TensorFlow Lite, which is also called \
LiteRT."""
    quantize: Quantize = "none"
    """`float16`: weights of half the size; `dynamic`: weights of 8 bits; `int8`: weights and \
activations of 8 bits, which usually costs much quality."""
    quantization_aware: bool = False
    """Whether the network is trained further with the rounding of 8 bits, before `dynamic` or \
`int8` rounds it."""
    prune: float | None = Field(default=None, gt=0, lt=1)
    """The share of the weights that are set to 0 in further training, such as 0.8. The compressed \
file becomes smaller, the answers come no faster."""
    may_worsen_by: float = Field(default=0.002, ge=0)
    """How much worse than the model the export may be, in each metric of the whole split: an \
absolute difference, or a share of the model's value for log_loss, rmse and mae."""

    @field_validator("format", mode="before")
    @classmethod
    def _refuse_tensorrt(cls, value: Any) -> Any:
        if value == "tensorrt":
            raise ValueError(_NO_TENSORRT)
        return value

    @model_validator(mode="after")
    def _check_quantization(self) -> ExportConfig:
        if self.quantization_aware and self.quantize not in _WITH_WHOLE_NUMBERS:
            raise ValueError(
                f"quantization_aware trains for the rounding of 8 bits, which quantize: "
                f"{self.quantize} does not do; set quantize to dynamic or int8"
            )
        return self

    @property
    def name(self) -> str:
        """The name of the export and of its file, such as `tflite-float16` or `onnx-prune80`."""
        parts: list[str] = [self.format]
        if self.quantize != "none":
            parts.append(self.quantize)
        if self.quantization_aware:
            parts.append("aware")
        if self.prune is not None:
            parts.append(f"prune{100 * self.prune:g}")
        return "-".join(parts)

    @property
    def is_trained_further(self) -> bool:
        """Whether the network is trained further before it is converted."""
        return self.quantization_aware or self.prune is not None
