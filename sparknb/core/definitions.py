"""The parsed form of a tool definition.

`core.validation` makes these from JSON; nothing else should. Every object here
obeys all rules of its kind, so code that receives one checks nothing again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "RISKS",
    "SOURCE_PATH",
    "Body",
    "CodeSpec",
    "Effect",
    "Extract",
    "FormBody",
    "FormField",
    "Header",
    "HttpRequest",
    "HttpSpec",
    "Idempotency",
    "InputSchema",
    "JsonBody",
    "Method",
    "Parameter",
    "ParameterType",
    "ResponseFormat",
    "Risk",
    "Spec",
    "TextBody",
    "ToolDefinition",
    "ToolType",
    "VisionSpec",
    "secret_reference",
]

ToolType = Literal["http", "code", "provider-vision"]
Risk = Literal["read", "low-write", "high-write", "destructive"]
Effect = Literal["read", "create", "update", "delete", "send", "publish"]
Idempotency = Literal["safe", "keyed", "unsafe"]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
ResponseFormat = Literal["json", "text", "markdown-table"]
ParameterType = Literal["string", "number", "integer", "boolean", "array"]

RISKS: tuple[Risk, ...] = ("read", "low-write", "high-write", "destructive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One declared input of a tool. `has_default` tells a default of None from none."""

    name: str
    type: ParameterType
    required: bool
    item_type: ParameterType | None = None
    enum: tuple[Any, ...] | None = None
    has_default: bool = False
    default: Any = None
    title: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class InputSchema:
    """The restricted input schema; `wire` is the JSON object as written."""

    parameters: Mapping[str, Parameter]
    wire: Mapping[str, Any]

    def to_model(self) -> dict[str, Any]:
        """Give the JSON Schema that a model sees: closed to unknown names (ST-5)."""
        return {**self.wire, "additionalProperties": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A request header: exactly one of a template and a secret's name."""

    name: str
    value_template: str | None = None
    secret: str | None = None


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A JSON body written as a template."""

    template: str


@dataclass(frozen=True, slots=True)
class FormField:
    """One pair of a form body."""

    name: str
    value_template: str


@dataclass(frozen=True, slots=True)
class FormBody:
    """An `application/x-www-form-urlencoded` body."""

    fields: tuple[FormField, ...]


@dataclass(frozen=True, slots=True)
class TextBody:
    """A body of plain text with a media type of its own."""

    content_type: str
    template: str


Body = JsonBody | FormBody | TextBody


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """What is sent. `body` is None for GET and DELETE, where it is never sent."""

    method: Method
    url_template: str
    headers: tuple[Header, ...] = ()
    body: Body | None = None


@dataclass(frozen=True, slots=True)
class Extract:
    """One column of the table made from a JSON response."""

    label: str
    json_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSpec:
    """One HTTP request and how its response is read.

    Attributes:
        max_size_bytes: Cap on the decoded body, in bytes.
        allow_private_network: None, True and False mean what ST-57 says.
    """

    request: HttpRequest
    response_format: ResponseFormat
    extract: tuple[Extract, ...] = ()
    max_size_bytes: int = 262_144
    allow_private_network: bool | None = None


SOURCE_PATH = "spec.runtime.source"
"""Where problems of a program are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSpec:
    """A short program for a sandbox."""

    language: Literal["typescript", "python"]
    source: str
    entry_export: str
    tool_ids: tuple[str, ...] = ()
    memory_mb: int = 128
    max_output_bytes: int = 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionSpec:
    """A question about images, asked of a provider."""

    provider_profile_id: str
    model: str | None = None
    instructions: str | None = None
    max_images: int = 4
    max_tokens: int = 4096
    auto_route: bool = True
    priority: int = 100


Spec = HttpSpec | CodeSpec | VisionSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A valid definition in normal form.

    Attributes:
        secrets: The declared secret names; each one's reference is
            `secret_reference(id, name)`.
        timeout_ms: Time limit of one call, in milliseconds.
        wire: The normal form as JSON (ST-4), camelCase, keys in order.
        digest: Lower-case hex sha256 of the RFC 8785 form of `wire`.
    """

    id: str
    title: str
    description: str
    type: ToolType
    input_schema: InputSchema
    risk: Risk
    effect: Effect
    idempotency: Idempotency
    timeout_ms: int
    secrets: tuple[str, ...]
    spec: Spec
    wire: Mapping[str, Any] = field(repr=False)
    digest: str


def secret_reference(tool_id: str, name: str) -> str:
    """Give the keychain reference of a tool's secret: `custom-tool:<id>:<name>`."""
    return f"custom-tool:{tool_id}:{name}"
