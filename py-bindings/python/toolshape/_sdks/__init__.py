"""The adapters of each SDK generation: a file for what differs, and one for what several share. ``toolshape.mcp`` and
``toolshape.fastmcp`` choose by what is installed."""
