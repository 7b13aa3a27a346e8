"""Where the files of a table lie: on a file system, or in an object store."""
