"""Training the models of a membership audit: many of them, each on its own half of the patients."""
