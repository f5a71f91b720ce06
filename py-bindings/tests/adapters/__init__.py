"""Servers of each Python SDK with the adapter, their clients, and what the table of docs/mcp.md promises of them."""
