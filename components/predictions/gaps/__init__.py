"""The gaps between slices: how they are judged, and the file that tells of them."""
