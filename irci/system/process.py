"""Whether the process is the command's own: nobody else imports anything in it, so that packages need not be whole."""

is_own = False
