"""DistributedTrainer: trains one model in several processes or pods; for pipeline/ only."""
