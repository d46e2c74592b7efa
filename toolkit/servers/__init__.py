"""Servers as reference versions of their patterns: one file a model, and the parts that models share."""
