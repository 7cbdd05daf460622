"""A hospital of a deployment, as Flower loads it by name into a process of its own for every message."""

from __future__ import annotations

from leadapron.federated.federation_folder import read_card
from leadapron.federated.flower.deployment_jobs import HospitalJob
from leadapron.federated.flower.flower_client import client_app
from leadapron.federated.hospital import Hospital

JOB = HospitalJob.heard()

app = client_app(lambda _: Hospital(JOB.folder, JOB.device, JOB.weights), secure=read_card(JOB.folder).plan.secure)
