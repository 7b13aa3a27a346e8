"""What a prediction writes: parts, bad rows, and records of what is finished."""
