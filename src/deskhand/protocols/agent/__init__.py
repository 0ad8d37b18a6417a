"""Agent: HTTP, for accessibility agents in virtual machines."""
