"""The Pusher, and how versions enter and leave a serving directory; for pipeline/ only."""
