"""The programs that are measured. They know nothing of deskhand."""
