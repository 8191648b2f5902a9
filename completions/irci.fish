# fish reads this at the first Tab after irci; what to do then, click says.
_IRCI_COMPLETE=fish_source irci | source
