"""The page's server: as a process of its own, or in this one where the process is not what is tested."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading

from browser import Browser

__all__ = ["Browser", "serve_here", "web_here", "web_server"]


@contextlib.contextmanager
def web_server(folder, *words, env=None, port=0, before=""):
    """`tengen web`; answers its address and its process. `before` is Python to run first."""
    start = ["-c", f"{before}; import tengen.cli; tengen.cli.main()"] if before else ["-m", "tengen"]
    command = [sys.executable, *start, "web", "--no-open", "--port", str(port), "--folder", str(folder), *words]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | (env or {})
    )
    try:
        line = process.stdout.readline()
        if "http://" not in line:
            raise AssertionError(line + process.communicate()[1])
        yield line.split()[-1], process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def serve_here(folder, port, seconds=0.2):
    """The same until it is killed: what a forked process runs."""
    import uvicorn

    from tengen.cli.web import listen, server_settings
    from tengen.web.app import WebSettings, make_app

    app = make_app(WebSettings(folder=folder, seconds=seconds))
    uvicorn.Server(server_settings(app)).run(sockets=[listen("127.0.0.1", port)])


@contextlib.contextmanager
def web_here(folder, **settings):
    """The same server in a thread; answers its address. It must be alive at the end.

    All deals are alike, as some of Matgo's end with the deal, and so are analyses: the best move of Go may be a pass,
    which lies on no board."""
    import uvicorn

    from tengen.cli.web import listen, server_settings
    from tengen.web.app import WebSettings, make_app

    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(server_settings(make_app(WebSettings(folder=folder, seed=1, **settings))))
    thread = threading.Thread(target=asyncio.run, args=(server.serve([listener]),), name="tengen web")
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert thread.is_alive(), "it lived to the end"
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()
