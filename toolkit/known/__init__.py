"""What other environments are known to do differently: the shipped lists (`*.txt`), and results held against one."""
