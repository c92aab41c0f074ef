"""Annotator in notebooks: open a project or one of its releases read-only, and take its tables as Arrow.

from annotator import notebook

with notebook.open_project("p.annotator") as project:
    scores = project.scores()
"""

from annotator.notebook.notebook_project import NotebookProject, open_project, open_release

__all__ = ["NotebookProject", "open_project", "open_release"]
