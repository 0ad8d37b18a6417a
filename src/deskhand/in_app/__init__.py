"""What runs inside an app. Standard library only, except for a toolkit's adapter and optional endpoints."""
