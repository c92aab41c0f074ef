"""The ten pages; `page_registry` lists them and loads each when it is first shown."""
