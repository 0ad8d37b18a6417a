"""What is written once, with async, and made into `_sync` as well."""
