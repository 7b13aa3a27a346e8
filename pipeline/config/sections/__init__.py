"""The sections of the configuration, one a file; they import base, core and each other."""
