"""The primitives' stories, step by step: each step makes real calls, and the tracer writes down their results."""
