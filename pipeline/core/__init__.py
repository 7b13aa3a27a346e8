"""The base of all other packages: errors, text, files, processes, events. Everybody may import it.

It imports nothing else of this project, and no module of it loads TensorFlow when imported.
"""
