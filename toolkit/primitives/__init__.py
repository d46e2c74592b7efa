"""Small owning objects, one a primitive: context managers with a `fileno()`, safe to close twice, loud after close."""
