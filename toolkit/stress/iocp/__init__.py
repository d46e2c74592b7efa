"""Stressors of completion ports: threads of Python around real operations, each packet accounted for."""
