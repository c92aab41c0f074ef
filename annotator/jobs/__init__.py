"""Lanes, progress and cancellation: threads without Qt."""
