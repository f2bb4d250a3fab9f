"""`tengen matgo`: the commands that only Matgo has, one module a verb."""

__all__: list[str] = []
