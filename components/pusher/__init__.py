"""The Pusher, and how versions enter and leave a serving directory.

The DAG and runners import it.
"""
