"""An output directory on an object store, and its working copy on this machine.

The store is the truth. A run works in the working copy, as in any output directory, and uploads
what it made: after each component, and at its end. `output.json` on the store lists all files, so
one conditional put changes all of them together. A reader finds the last whole state.

| step of an upload | what a kill leaves |
| --- | --- |
| 1. The metadata is copied, and the finished artifacts are those that the copy knows. | nothing |
| 2. New files are uploaded, the metadata under a name of its own. | objects that nobody reads |
| 3. `output.json` is replaced, if nobody else replaced it. | the new state |
| 4. Objects that the list does not have any more are removed. | the next run removes them |

Two machines cannot work in one output: a run holds a lease on the store.
"""
