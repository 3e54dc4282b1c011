"""The pages of the application, one file each: a function that gives what the page shows, also as JSON."""
