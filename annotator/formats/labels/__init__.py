"""Labels that people gave in other annotation tools."""
