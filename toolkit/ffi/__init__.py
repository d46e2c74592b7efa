"""The only room that talks C: compiled bindings, their errors, and the tracer that watches them."""
