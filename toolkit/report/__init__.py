"""How records leave the program: JSON Lines with a schema, text for people, TAP 14 and JUnit XML."""
