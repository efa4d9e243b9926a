"""What stands for an indication where an approval is told without one."""

NOT_STATED = "indication not stated in the register"
NOT_READ = "indication not read from the label"
UNTOLD = frozenset({NOT_STATED, NOT_READ})
