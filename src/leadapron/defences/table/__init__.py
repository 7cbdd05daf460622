"""The defence of the table beside vectors and images."""
