"""Measures the program against its performance goals, each beside the floor or peer its goal is a ratio of.

A program of its own (``python -m annotator.bench``): what is measured runs in fresh processes, with nothing imported
but what it needs. Figures of one run are compared with each other, never with those of another machine or day.
"""
