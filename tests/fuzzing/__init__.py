"""Whatever bytes a file holds, its reader refuses it for a good reason or reads exactly what is there: checks and mutants.

Each check takes the bytes of one file. It hands them to a reader as standard input (the path on which they are unpacked and
read as from disk), and raises Finding if the reader crashed, or took or refused what the plain reader does not.
"""
