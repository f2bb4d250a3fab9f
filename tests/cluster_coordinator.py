"""A coordinator on a machine of a lab, which connects once, because that takes seconds:

    python cluster_coordinator.py ray:HOST:PORT

Each line that it reads is code as a JSON text, which has the workers as `crew`; each that it writes is what the code
printed, or its error. Commands of Tengen that the code calls have the same workers, whatever they are told.
"""

import contextlib
import io
import json
import sys
import time
import traceback

import cluster_tasks

import tengen.cluster


def main():
    crew = tengen.cluster.open_workers(sys.argv[1])
    close, crew.close = crew.close, lambda: None
    tengen.cluster.open_workers = lambda _spec: crew
    names = {**vars(tengen.cluster), **vars(cluster_tasks), "crew": crew, "close": close, "sys": sys, "time": time}
    for line in sys.stdin:
        out, error = io.StringIO(), ""
        try:
            with contextlib.redirect_stdout(out):
                exec(json.loads(line), names)
        except BaseException:  # noqa: BLE001 - also what a command ends with
            error = traceback.format_exc()
        print(json.dumps([out.getvalue(), error]), flush=True)
    close()


if __name__ == "__main__":
    main()
