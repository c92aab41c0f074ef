"""How a program is put together, compiled and run in each language."""
