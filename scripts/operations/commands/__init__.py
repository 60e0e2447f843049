"""What people type, one module each."""
