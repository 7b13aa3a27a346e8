"""What the model looks at: figures from the served signature, so that they hold for any model."""
