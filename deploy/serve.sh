#!/bin/sh
# The command `serve` in the image: it starts the model server.
#     docker run -p 8501:8501 -v "$PWD/runs/taxi/serving:/models/taxi:ro" IMAGE serve --model /models/taxi
# Inside a container, localhost is the container alone. A later --host replaces this one.
exec python -m pipeline serve --host 0.0.0.0 "$@"
