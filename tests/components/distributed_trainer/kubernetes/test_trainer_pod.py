"""What the workers' manifests take from the JSON of the Trainer's pod."""

from __future__ import annotations

from typing import Any

from fake_cluster import IMAGE

from components.distributed_trainer.kubernetes.trainer_pod import TrainerPod


def test_image_and_user_are_those_of_the_main_container() -> None:
    security = {"runAsUser": 7, "privileged": True}

    def pod(image_id: str) -> dict[str, Any]:
        return {
            "metadata": {"name": "t", "uid": "u"},
            "spec": {
                "containers": [
                    {"name": "wait", "image": "argo"},
                    {"name": "main", "image": "mine:latest", "securityContext": security},
                ]
            },
            "status": {"containerStatuses": [{"name": "main", "imageID": image_id}]},
        }

    home = TrainerPod.from_json(pod(f"docker-pullable://{IMAGE}"))
    assert (home.image, home.container_security) == (IMAGE, {"runAsUser": 7})
    assert TrainerPod.from_json(pod(IMAGE)).image == IMAGE
    # An image that was loaded into the node and never pushed has no digest in a registry.
    assert TrainerPod.from_json(pod("sha256:" + "ab" * 32)).image == "mine:latest"
