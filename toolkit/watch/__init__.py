"""What the watching commands do: targets opened, registered and reported on, until something ends it."""
