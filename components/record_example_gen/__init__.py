"""ExampleGen for TFRecord files, with the splits that tables have; for pipeline/ only."""
