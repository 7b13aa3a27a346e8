"""ExampleGen on the workers of an engine such as Flink, with the results of one machine."""
