"""Past runs: `runs` lists them, `lineage` explains their artifacts, `gc` removes old ones."""
