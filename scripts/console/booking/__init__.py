"""The parts of the page that sends bookings: samples, the sending, and what became of it."""
