"""`python -m benchmarks.trees`: see `scoring`."""

from benchmarks.trees.scoring import main

main()
