"""Candidates from repositories, dumps and written code."""
