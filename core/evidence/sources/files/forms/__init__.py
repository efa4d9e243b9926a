"""Forms of files: archives, tables, XML, JSON, workbooks, each read within bounds."""
