"""The dossier: everything that was found of what would be released, and in front of it the page that a board signs."""

from leadapron.dossier.whole_dossier import Asked, Dossier, assess, planned
from leadapron.dossier.declaration import Declaration, read_declaration

__all__ = ["Asked", "Declaration", "Dossier", "assess", "planned", "read_declaration"]
