"""Tengen's compiled core."""
