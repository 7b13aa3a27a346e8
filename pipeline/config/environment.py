"""The environment variables by which the processes of a run find each other's files."""

EVENTS_VARIABLE = "PIPELINE_EVENTS"
"""The file of JSON lines in which a run tells what it does."""
STEPS_VARIABLE = "PIPELINE_STEPS"
"""The file in which a training worker keeps how far it has come."""
REPORT_VARIABLE = "PIPELINE_REPORT"
"""The file in which a training worker leaves why it failed."""
