"""`python -m irci` is the command `irci`."""

from irci.cli.group import main

if __name__ == "__main__":
    main(prog_name="irci")
