"""What several commands use: options, input, output."""
