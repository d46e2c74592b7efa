"""Load at the speed of C that verifies what it did: any loss, duplicate or misdelivery is found and named."""
