"""`ray start`, but for the server of Ray's client: a port of code for strangers that nobody here needs, which Ray opens
wherever gRPC happens to be installed."""

from __future__ import annotations

from ray.scripts import scripts

__all__: list[str] = []

if __name__ == "__main__":
    scripts.get_ray_client_dependency_error = lambda: "not wanted"
    scripts.main()
