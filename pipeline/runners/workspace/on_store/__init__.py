"""An output directory on an object store, and its working copy on this machine.

The store is the truth. A run works in the working copy, as in any output directory, and uploads
what it made: after each component, and at its end. `output.json` on the store lists all files, so
one conditional put changes all of them together. A reader finds the last whole state.

The steps of an upload, and what a kill after each of them leaves:

1. The metadata is copied, and what the copy says of the artifacts counts. A kill leaves nothing.
2. New files are uploaded. Those that must fit each other are named by the hash of their bytes. A
   kill leaves objects that nobody reads; the next run removes those below `objects/`.
3. `output.json` is replaced, if nobody else replaced it. A kill leaves the new state.
4. Objects that the list does not have any more are removed. A kill leaves some, as in step 2.

Two machines cannot work in one output: a run holds a lease on the store. A machine that was
suspended and has lost its lease can overwrite no artifact, since the name of an object is its hash.
"""
