"""The ten pages, one file each; `registry` lists them and loads each when it is first shown."""
