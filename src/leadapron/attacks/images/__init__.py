"""Released images: whose they are, what they copy, who was learnt from, and what they lead to."""
