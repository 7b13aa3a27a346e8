"""What a serving directory holds, and the keys and the lock around it.

All components may import it.
"""
