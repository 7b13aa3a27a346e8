"""What the tasks of a run leave on the shared volume, for the page of the run.

A task's record says how the task ended. The artifacts of a task lie in a store, and the exit task
cannot have them as inputs, so small files of theirs are copied beside the record. Kubeflow starts
no container for a cached task; such a task's record is looked up among those of earlier runs.
"""
