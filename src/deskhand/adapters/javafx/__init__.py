"""JavaFX, from outside: an agent inside the JVM reads and acts, and this speaks with it.

What the agent is and says is described in native/javafx. Imports model and the standard library only.
"""
