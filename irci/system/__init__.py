"""The machine: threads, memory, signals and interrupts, temporary files, standard streams, what scipy.special costs."""
