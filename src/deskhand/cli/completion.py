"""`deskhand completion`: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and the names of running apps.

    \b
      bash   echo 'eval "$(deskhand completion bash)"' >> ~/.bashrc
      zsh    echo 'eval "$(deskhand completion zsh)"' >> ~/.zshrc
      fish   deskhand completion fish > ~/.config/fish/completions/deskhand.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click knows the shells that the argument offers"
    click.echo(kind(context.find_root().command, {}, "deskhand", "_DESKHAND_COMPLETE").source())


COMMANDS = [completion]
