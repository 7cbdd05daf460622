"""The server of a deployment, as Flower loads it by name into a process of its own."""

from __future__ import annotations

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp

from leadapron.errors import LeadapronError
from leadapron.federated.coordinator import Coordinator
from leadapron.federated.flower.deployment_jobs import ServerJob
from leadapron.federated.flower.flower_line import Line
from leadapron.federated.flower.flower_server import serve

ENGINE = "flower deployment"

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    job = ServerJob.heard()
    try:
        coordinator = Coordinator(
            job.folder, job.out, engine=ENGINE, device=job.device, weights=job.weights, keep_updates=job.keep_updates
        )
        serve(coordinator, Line(grid, _connected, job.patience), context)
    except LeadapronError as error:
        job.leave(error)
        raise


def _connected(grid: Grid) -> dict[str, int]:
    """Hospitals are called as their keys were registered, not as they say themselves."""
    return {node.name: node.node_id for node in grid.get_nodes()}
