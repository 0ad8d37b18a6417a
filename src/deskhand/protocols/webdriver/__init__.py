"""W3C WebDriver, server side: HTTP requests become operations, and their results the standard's answers."""
