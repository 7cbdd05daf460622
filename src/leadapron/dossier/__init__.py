"""The dossier: everything that was found of what would be released, and in front of it the page that a board signs."""

from leadapron.dossier.declaration import Declaration, read_declaration
from leadapron.dossier.whole_dossier import Asked, Dossier, assess, planned

__all__ = ["Asked", "Declaration", "Dossier", "assess", "planned", "read_declaration"]
