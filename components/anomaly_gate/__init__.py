"""AnomalyReport and AnomalyGate: findings about the data, and the stop; for pipeline/ only."""
