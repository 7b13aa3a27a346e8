"""The code that becomes the model. TFX loads it by dotted path, also in a bare worker pod.

Keras 2 (`tf_keras`) is used throughout: Keras 3 cannot fit under MultiWorkerMirroredStrategy. The
variable has to be set before TensorFlow is first imported, by whichever module comes first.
"""

import os

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
