"""One per toolkit: reads nodes and performs raw actions. Imports model and the toolkit only."""
