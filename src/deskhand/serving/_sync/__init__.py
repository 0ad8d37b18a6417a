# Generated from serving/_async/__init__.py by scripts/generate_sync.py; edit that file instead.
"""What is written once, with async, and made into `_sync` as well."""
