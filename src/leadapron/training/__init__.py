"""How networks are trained: one loop, watched and kept, and batches of images. Its modules need torch."""
