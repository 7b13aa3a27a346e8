"""What the training runs on: GPUs, threads, a TPU, and the distribution strategy."""
