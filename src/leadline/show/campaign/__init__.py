"""A campaign: topics and teams in a folder, from the first submission to the overview."""
