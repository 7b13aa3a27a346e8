"""Where the findings are: the rows that they concern, and since when."""
