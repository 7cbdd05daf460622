"""Where a report identifies someone: recognisers by rules, by lists, by what a patient table knows, by models."""
