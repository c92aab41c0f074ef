"""Open a project or a release read-only in a notebook, and get its tables as Arrow data.

from annotator import notebook

with notebook.open_project("p.annotator") as project:
    scores = project.scores()
"""

from annotator.notebook.notebook_project import NotebookProject, open_project, open_release

__all__ = ["NotebookProject", "open_project", "open_release"]
