"""The attribute audit: sex, age, race and other columns of the table, read off released vectors."""

from leadapron.attacks.attributes.attributes_audit import (
    ATTRIBUTES,
    AttributesConfig,
    audit_attributes,
    strongest_attribute,
)

__all__ = ["ATTRIBUTES", "AttributesConfig", "audit_attributes", "strongest_attribute"]
