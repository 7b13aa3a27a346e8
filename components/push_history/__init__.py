"""What each pushed model was worth when it was pushed, and whether models decline since then."""
