"""Cases that end in every way a well-behaved case can."""
