"""Documents written with a release: datasheet, citation, licences, attribution and others."""
