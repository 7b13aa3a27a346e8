"""What holds for all tests."""

import signal

from hypothesis import HealthCheck, settings

# Where a shell started the tests in the background, they ignore Ctrl-C, and so would the commands
# that they start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# No test is timed: a slow machine is no defect. The same examples everywhere: a red build can be
# looked at.
settings.register_profile(
    "project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")
