"""The sections of the configuration, one a file; each may import only base, other sections and core."""
