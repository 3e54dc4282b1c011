"""A lab on a port of this machine, for tests in a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx
from tests.show.serve.conftest import ServedSite, plain_client

from leadline.commands.shared.forms import command_fields
from leadline.judge.journal import People
from leadline.show.lab.lab import Lab
from leadline.show.serve.laboratory.lab_app import lab_app
from leadline.show.serve.security import Address


@dataclass
class LabSite(ServedSite):
    """A server of a lab."""

    def app(self, address: Address) -> Any:
        lab = Lab.open(self.folder)
        people = People(lab.people_file())
        self.tokens = {"olga": people.add("olga", "organiser"), "anna": people.add("anna", "assessor")}
        return lab_app(lab, people, address, command_fields)

    def close_desk(self) -> None:
        pass

    def client(self) -> httpx.Client:
        client = plain_client(base_url=self.url, timeout=30)
        client.get(f"/in/{self.tokens['olga']}")
        return client
