"""Cases that misbehave in every way a case can."""
