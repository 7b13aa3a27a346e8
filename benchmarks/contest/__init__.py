"""The parts of `benchmarks.quality`: models of this project against boosted trees."""
