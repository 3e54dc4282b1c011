"""The application: a lab in the browser."""
