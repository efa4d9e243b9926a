"""Calculations beside the headline; `every` lists them."""
