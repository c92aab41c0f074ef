"""Write criteria and prove that they judge well."""
