"""Jobs for the scheduler without a query."""

from types import MethodType

from tengen.analysis.job import Job


class TaggedJob(Job):
    """Methods are given by name, each a function whose first argument is the job."""

    def __init__(self, tag, **parts):
        own = {name: parts.pop(name) for name in list(parts) if name in vars(Job) and callable(vars(Job)[name])}
        super().__init__(**parts)
        self.tag = tag
        for name, function in own.items():
            setattr(self, name, MethodType(function, self))

    def _is_not_given(self, *_):
        raise NotImplementedError

    open = on_report = on_end = on_error = _is_not_given
