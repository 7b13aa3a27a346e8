"""Makes the tables of the comparison from files of this project and of packages."""
