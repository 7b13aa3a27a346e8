"""The tasks that are no components: they prepare a run, and write its page when it ends."""
