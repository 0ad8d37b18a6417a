"""Serving a runner: endpoints, tokens, policy, audit log, files and commands, apps outside."""
