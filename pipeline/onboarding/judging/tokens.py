"""What a token of a text is, in the notation of Arrow's regular expressions.

Transform cuts texts in the same way: trainer_module/encoding/tokens.py.
"""

_CHARACTERS = r"\pL\pM\pN_"

CHARACTER = f"[{_CHARACTERS}]"
"""A character of a token."""
TOKEN = f"{CHARACTER}+"
BETWEEN_TOKENS = f"[^{_CHARACTERS}]+"
