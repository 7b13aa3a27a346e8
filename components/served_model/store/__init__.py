"""A serving directory on an object store, and its copy on this machine.

The store is the truth: what is served, which versions there are, what waits, what was withdrawn.
Each workspace has a copy of it, an ordinary serving directory, so that all code that reads or
changes a serving directory works with the copy as it does without a store. Only two doors lead to
the store: `refresh` makes the copy agree with the store, and `lock_serving` publishes what was
changed in the copy while its lock was held. `publishing.py` has the steps.

Objects below the address:

| object | content |
| --- | --- |
| `NUMBER/...`, `.reference/NUMBER/...`, `.waiting/NUMBER/...` | as in a local serving directory |
| `served.json` | the pointer, and under `store` a list of all files with sizes and digests |
| `models.config` | for TensorFlow Serving, as in a local serving directory |
| `.pending/NUMBER` | says that a push uploads, or uploaded, files under this number |

Only `served.json` decides: a version that it does not list does not exist. Each change replaces
it by one conditional put, on the condition that nobody has replaced it since the change began.
"""
