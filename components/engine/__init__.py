"""Jobs on an engine: whether it can work, who runs a job, and what a failed job says."""
