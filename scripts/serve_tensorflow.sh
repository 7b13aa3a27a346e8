#!/bin/sh
# Serves a serving directory with TensorFlow Serving's own image, in docker or podman. Called by
# `make serve SERVER=tensorflow`:
#     sh scripts/serve_tensorflow.sh DIRECTORY [FLAG_OF_TENSORFLOW_MODEL_SERVER ...]
# PORT and GRPC_PORT select the ports on localhost, ENGINE the program, SERVER_IMAGE the image.
set -eu

fail() {
    printf 'Error: %s\n  %s\n' "$1" "$2" >&2
    exit 2
}

[ $# -gt 0 ] || fail "no directory is given." "sh scripts/serve_tensorflow.sh runs/taxi/serving"
directory=$(cd "$1" 2>/dev/null && pwd -P) || fail "$1: no such directory." "Push a model first: make run-local"
shift

newest=
for version in "$directory"/[0-9]*; do
    case ${version##*/} in *[!0-9]*) continue ;; esac
    [ ! -e "$version/saved_model.pb" ] || newest=$version
done
[ -n "$newest" ] || fail "$directory: no model is served here yet." "Push one first: make run-local"

# The name that `python -m pipeline serve` gives the model: `taxi` for runs/taxi/serving.
name=${directory##*/}
if [ "$name" = serving ]; then
    name=${directory%/serving}
    name=${name##*/}
fi

# docker runs nothing without its daemon.
runs() { command -v "$1" >/dev/null && { [ "$1" != docker ] || docker info >/dev/null 2>&1; }; }
for engine in ${ENGINE:-docker podman}; do
    if runs "$engine"; then break; fi
    engine=
done
[ -n "$engine" ] || fail "cannot start a container: no working ${ENGINE:-docker or podman} found." \
    "Install one of them; for docker, start its daemon. Or serve without a container: make serve"

# Without this file, TensorFlow Serving loads the highest number, also after a rollback to a lower one.
if [ -e "$directory/models.config" ]; then
    set -- --model_config_file="/models/$name/models.config" --model_config_file_poll_wait_seconds=1 "$@"
else
    set -- --model_name="$name" --model_base_path="/models/$name" --file_system_poll_wait_seconds=1 "$@"
fi

port=${PORT:-8501}
echo "TensorFlow Serving with $engine: http://127.0.0.1:$port/v1/models/$name, gRPC at port ${GRPC_PORT:-8500}"
# The directory is mounted and not copied, so that TensorFlow Serving sees later versions.
# label=disable: SELinux would hide the directory otherwise.
exec "$engine" run --rm --init --security-opt label=disable \
    --publish "127.0.0.1:$port:8501" --publish "127.0.0.1:${GRPC_PORT:-8500}:8500" \
    --volume "$directory:/models/$name:ro" \
    --entrypoint /usr/bin/tensorflow_model_server "${SERVER_IMAGE:-tensorflow/serving:2.19.1}" \
    --port=8500 --rest_api_port=8501 "$@"
