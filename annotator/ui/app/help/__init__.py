"""The manual and the dialogs of the menu Help."""
