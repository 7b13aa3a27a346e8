"""SchemaCurator: the schema that validation, Transform and Evaluator use; for pipeline/ only."""
