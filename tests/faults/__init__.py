"""Faults on purpose: kills, full disks, lost permissions."""
