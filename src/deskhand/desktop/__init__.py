"""The desktop: making a private one, and driving the programs of any as one tree. Not loaded inside apps."""
