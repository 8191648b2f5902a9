"""The machine: the process, its signals and standard streams; threads, memory and interrupts; what scipy.special costs."""
