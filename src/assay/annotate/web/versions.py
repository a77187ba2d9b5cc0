"""The versions of a protocol: a page is shown and answered in the words that it was given under.

A page may be open while the protocol changes, and another server of the study may have put another version in force.
"""

from __future__ import annotations

from assay.annotate.protocol import Protocol
from assay.annotate.protocol_file import parse_protocol
from assay.annotate.service import Service
from assay.annotate.web.rendering import Renderer
from assay.forms import Questionnaire


class Versions:
    """The form and the renderer of each version, made when a page of that version is first asked for."""

    def __init__(self, service: Service, protocol: Protocol, renderer: Renderer) -> None:
        self._service, self._protocol = service, protocol
        self._by_text = {protocol.text: (protocol.form, renderer)}
        self._known: dict[int, tuple[Questionnaire, Renderer]] = {}

    async def of(self, version: int) -> tuple[Questionnaire, Renderer]:
        """What pages of a version are made of."""
        if version not in self._known:
            text = await self._service.call(self._service.protocol_text, version)
            if text not in self._by_text:
                protocol = parse_protocol(text, self._protocol.path)
                self._by_text[text] = protocol.form, Renderer(protocol)
            self._known[version] = self._by_text[text]
        return self._known[version]
