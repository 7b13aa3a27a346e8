"""Rules about several keys, and about keys and the table or the machine; pipeline.config and its users import them."""
