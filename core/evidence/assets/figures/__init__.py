"""What a drug showed: outcomes of trials and labels, and which of them are told."""
