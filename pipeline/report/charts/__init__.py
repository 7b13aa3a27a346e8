"""Charts as Vega-Lite specifications with their data and words. Only the page imports them."""
