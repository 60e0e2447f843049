"""The parts of the page that breaks the local stack: what can be broken, and the switches."""
