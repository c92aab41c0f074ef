"""Mine as DomainEval's published scripts do."""
