"""The table beside the vectors: whom its columns single out."""

from leadapron.attacks.table.table_audit import TABLE, TableConfig, audit_table

__all__ = ["TABLE", "TableConfig", "audit_table"]
