"""The artifact of a model's exports: what the Pusher copies and what runs show."""
