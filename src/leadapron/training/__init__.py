"""How networks are trained: on which device, one loop, watched and kept, and batches of images. It needs torch."""
