"""Formulas in loops: every compiled function, and the generator that they share. `irci.native` compiles and keeps them."""
