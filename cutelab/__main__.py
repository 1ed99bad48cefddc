"""python -m cutelab: the command `cutelab`."""

from cutelab.cli import main

if __name__ == "__main__":
    main()
