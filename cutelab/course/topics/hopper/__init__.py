"""Topic "hopper": what lesson 13 asks; its pictures are those of topics tma, descriptor and pipeline."""
