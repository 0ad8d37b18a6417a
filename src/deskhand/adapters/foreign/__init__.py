"""Servers of the contracts that other projects wrote, each as one more toolkit."""
