"""Tables of records: what a column tells about a patient, who looks alike, and coarser forms of it."""
