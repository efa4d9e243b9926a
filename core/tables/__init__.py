"""Every uploaded and imported file on its way to typed columns, read within one set of bounds."""
