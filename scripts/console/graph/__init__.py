"""The graph of a definition in Amazon States Language, and what happened to each of its states."""
