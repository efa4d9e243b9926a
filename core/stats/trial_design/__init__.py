"""Size and shape of trials: arrays and numbers in, arrays and numbers out; nothing of ours inside.

Every function states its source; test vectors are those of R's rpact and gsDesign, of Simon 1989
and of Liu and Yuan 2015. One-sided levels are meant where a level is asked for.
"""
