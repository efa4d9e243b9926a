"""The starter pack: what an instance knows before anything was imported."""
