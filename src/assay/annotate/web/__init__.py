"""The web application. `application` makes it; nothing of it is imported before."""
