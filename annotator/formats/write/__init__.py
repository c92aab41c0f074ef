"""Write exports of releases and of results."""
