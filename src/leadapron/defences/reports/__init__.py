"""Reports without identifiers: found, and replaced by stand-ins, tags or nothing, under one secret key."""
