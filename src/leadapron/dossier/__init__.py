"""The dossier: everything that was found of what would be released, and in front of it the page that a board signs."""
