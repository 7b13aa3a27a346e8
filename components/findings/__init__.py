"""The findings of the data gate as an artifact, for the components that write and read them."""
