"""The description of the lab's JSON in OpenAPI: what every address answers, refusals included."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

_REFUSAL = {
    "type": "object",
    "required": ["error"],
    "properties": {"saved": {"const": False}, "error": {"type": "string", "description": "what is wrong, and the fix"}},
}
_JSON, _TEXT = ("application/json",), ("application/json", "text/plain")  # text: refused before the lab looks at it
_REFUSALS = {  # status: meaning, media types
    "400": ("A parameter is wrong", _TEXT), "401": ("Not signed in", _JSON), "403": ("Not for this role", _TEXT),
    "404": ("It is not in the lab", _JSON), "429": ("Too many wrong tokens", _JSON), "503": ("Not now", _JSON),
}  # fmt: skip
_REFUSED_POSTS = {
    "408": ("Not all of it came in time", _TEXT), "409": ("The name is taken", _JSON),
    "411": ("The length is not given", _TEXT), "413": ("Too large", _TEXT),
}  # fmt: skip
_OBJECT = {"application/json": {"schema": {"type": "object"}}}


def described(app: FastAPI) -> dict[str, Any]:
    """The description that FastAPI makes of an application, with what it does not know: refusals, and who may ask."""
    made = app.openapi()
    known = made.setdefault("components", {})
    known["schemas"] = {"Refusal": _REFUSAL}
    known["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "what follows /in/ in a personal link"}
    }
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            answers = {status: each for status, each in operation["responses"].items() if status != "422"}
            for each in answers.values():
                if not each.get("content", {}).get("application/json", {}).get("schema"):
                    each["content"] = _OBJECT
            refusals = _REFUSALS | (_REFUSED_POSTS if method == "post" else {})
            for status, (words, media) in refusals.items():
                answers[status] = {"description": words, "content": {name: _schema(name) for name in media}}
            operation["responses"] = answers
            if path != "/api/health":
                operation["security"] = [{"token": []}]
    return made


def json_body(required: tuple[str, ...], **properties: str) -> dict[str, Any]:
    """What a POST takes as JSON, for `openapi_extra`: texts, by their names and meanings."""
    texts = {name: {"type": "string", "description": words} for name, words in properties.items()}
    schema = {"type": "object", "required": list(required), "properties": texts}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _schema(media: str) -> dict[str, Any]:
    return {"schema": {"$ref": "#/components/schemas/Refusal"} if media == "application/json" else {"type": "string"}}
