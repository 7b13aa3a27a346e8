"""The rules about several keys, and about keys and the table or the machine."""
