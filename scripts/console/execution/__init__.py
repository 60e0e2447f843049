"""The parts of the page of one execution. Each is shown anew with what was read last."""
