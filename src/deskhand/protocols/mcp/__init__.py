"""MCP: tools for AI models."""
