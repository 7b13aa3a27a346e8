"""The parts of `benchmarks.quality`, which compares this project's models with boosted trees."""
