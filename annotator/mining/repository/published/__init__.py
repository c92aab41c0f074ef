"""DomainEval's published pipeline, with the decisions of its scripts."""
