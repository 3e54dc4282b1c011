"""What do we show? Charts, figures, the report, the papers, the demo."""
