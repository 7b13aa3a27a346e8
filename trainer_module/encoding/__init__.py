"""How raw columns become numbers and ids, in Transform's graph."""
