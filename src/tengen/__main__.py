"""`python -m tengen` is the command `tengen`."""

from tengen.cli import main

main()
