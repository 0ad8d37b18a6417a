"""Starting apps, getting into running ones, and saying how they ended."""
