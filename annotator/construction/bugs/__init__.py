"""Implant bugs in programs and prove them."""
