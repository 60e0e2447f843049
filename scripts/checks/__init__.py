"""The project's own checks, run by scripts/check and by the tests."""
