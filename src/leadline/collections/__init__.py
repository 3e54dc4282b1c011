"""What is searched? Documents and the collections they are kept in."""
