"""What holds for all tests."""

from hypothesis import HealthCheck, settings

# No test is timed: a slow machine is no defect. The same examples everywhere: a red build can be
# looked at.
settings.register_profile(
    "project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")
