"""AutoGluon as a rival, in an environment of its own: its packages contradict this project's."""
