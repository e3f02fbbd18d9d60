"""A model that is edited in the browser: its tree as plain data, actions on it, and what follows from them."""
