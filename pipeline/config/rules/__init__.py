"""Rules about keys, the table and the machine; everything but pipeline.core may import them."""
