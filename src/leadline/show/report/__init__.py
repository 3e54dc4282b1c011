"""What do we show? The evidence of one comparison, a file for each figure, and the page that holds them."""
