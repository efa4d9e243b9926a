"""Reports and slides that somebody uploads: bytes in, sentences with their places out.

Five forms are read: docx, pptx, pdf, Markdown and plain text. Every text is data: no macro runs, no
link is followed, and no part of a file is unpacked to disk.
"""
