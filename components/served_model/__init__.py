"""The pointer to the served model, with its keys and its lock. All components may import it.

The pointer is the file `served.json` in the serving directory. `ServedRecord` is the class of its
content. The artifact `ServedModelRecord` carries such a record from component to component.
"""
