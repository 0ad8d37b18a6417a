"""Ways into an app that does not know of us. Imports the standard library only until it is inside."""
