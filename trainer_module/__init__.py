"""Feature engineering, networks, the fit and the export: the user code that TFX loads.

TFX and the worker pods load this package by dotted path. In the project, only
`pipeline.eval_config`, the quick fits of `pipeline.onboarding` and the benchmarks import it. It may
import `pipeline.core` and `pipeline.config`.

The package uses Keras 2 (`tf_keras`): Keras 3 cannot fit under MultiWorkerMirroredStrategy.
TensorFlow reads the variable below at its first import, so the package sets it here.
"""

import os

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
