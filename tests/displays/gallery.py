"""One view of each kind, with what is hard to show in it."""

import json
from collections.abc import Mapping

from sparknb.commands.context import Question
from sparknb.commands.views import (
    CELL,
    Code,
    Column,
    Diff,
    Failure,
    Fields,
    Line,
    Problems,
    ResultView,
    Section,
    Span,
    Stack,
    Table,
    View,
)
from sparknb.commands.words import next_steps, risk_span, secret_table, triple
from sparknb.core.problems import Problem
from sparknb.core.protocols import ApprovalRequest, Preview
from sparknb.core.results import ResultMeta, ToolResult
from sparknb.displays import approval_view, question_view

HOSTILE = (
    "<script>alert(1)</script> </pre><img src=x onerror=alert(1)>"
    ' " onclick="alert(1)" \x1b[31mred\x1b[0m \u202egnp.exe\x00 \ud800'
)

TOOLS = Table(
    title="Tools",
    columns=(
        Column("TOOL"),
        Column("TITLE", wraps=True),
        Column("RISK"),
        Column("DRAFT", "right"),
    ),
    rows=[
        (Span("weather", "strong"), "Weather of a city", risk_span("read"), "12"),
        (
            Span("place_order", "strong"),
            "Places an order for one item of the catalogue, and gives its number back",
            risk_span("high-write"),
            Span("-", "quiet"),
        ),
        (Span("sell", "strong"), "Sells at $5 or $10", risk_span("destructive"), "1"),
    ],
)

PROBLEMS = Problems(
    source=CELL,
    lines={"spec.request.method": 5, "risk": 9},
    problems=[
        Problem(
            code="RISK_FLOOR",
            path="risk",
            message="a tool that sends DELETE is at least destructive",
            hint="write risk: destructive",
        ),
        Problem(
            code="FIELD_VALUE", path="spec.request.method", message="FETCH is no method"
        ),
        Problem(code="SHORT", path="description", message="short", level="warning"),
        Problem(code="IMPORTED", message="from elsewhere", level="notice"),
    ],
)

REQUEST = ApprovalRequest(
    call_id="7d0c",
    tool_id="place_order",
    title="Place an order",
    version=3,
    risk="high-write",
    effect="create",
    idempotency="unsafe",
    arguments={"item": "map", "count": 2, "key": "[secret]"},
    preview=Preview(
        method="POST",
        url="http://127.0.0.1:8765/orders",
        body='{\n  "item": "map"\n}',
    ),
)

SENT = {"method": "GET", "url": "http://127.0.0.1:8765/weather?city=Oslo"}

VIEWS: Mapping[str, View] = {
    "draft": Stack(
        [
            Line((Span("weather", "strong"), Span(" is a new tool")), "done"),
            Fields(
                [
                    ("title", "Weather"),
                    ("request", "GET http://127.0.0.1:8765/weather?city={{city}}"),
                    ("risk", triple("read", "read", "safe")),
                ]
            ),
            secret_table({"api_key": False, "other": True, "third": None}),
            next_steps([("sparknb publish weather", "let agents call it")]),
        ]
    ),
    "tools": TOOLS,
    "no tools": Table(
        title="Tools", columns=[Column("TOOL")], rows=[], empty="No tools yet."
    ),
    "two lines": Table(title="T", columns=[Column("A")], rows=[["one\nbelow"]]),
    "problems": Stack([Line("not valid: 2 errors", "failed"), PROBLEMS]),
    "result": ResultView(
        ToolResult(
            ok=True,
            text="\nTemperature | 12.5\nat $.a and $.b",
            status=200,
            meta=ResultMeta(duration_ms=31, bytes=1234, truncated=True),
            request=SENT,
        ),
        shows_request=True,
    ),
    "printed": ResultView(
        ToolResult(
            ok=True,
            text="42",
            data=42,
            meta=ResultMeta(bytes=2),
            printed="looked at <b>7</b> cities\n\n  done\n",
        )
    ),
    "failed": ResultView(
        ToolResult(
            ok=False,
            text="the server said 404",
            error_code="HTTP_STATUS",
            hint="check the city",
            status=404,
            request=SENT,
        ),
        shows_request=True,
    ),
    "arguments": ResultView(
        ToolResult(
            ok=False,
            text="one argument is wrong",
            error_code="INVALID_INPUT",
            problems=[Problem(code="REQUIRED", path="city", message="is needed")],
        )
    ),
    "failure": Failure(
        code="NOT_FOUND",
        message="no tool is named wether",
        hint="did you mean weather? `sparknb list` shows the tools",
        path="ID",
        problems=Problems(problems=[]),
    ),
    "refusal": Failure(
        code="INVALID_INPUT", message="no", hint=None, path="", problems=PROBLEMS
    ),
    "diff": Diff(
        [
            "--- version 1",
            "+++ version 2",
            "@@ -1,2 +1,2 @@",
            " {",
            '-  "a": 1',
            '+  "a": 2',
        ]
    ),
    "code": Code(json.dumps({"jsonPath": "$.a"}, indent=2), "json"),
    "section": Section(
        "Options", [(Span("--json", "notice"), "Print JSON."), ("x", "")]
    ),
    "approval": approval_view(REQUEST),
    "question": question_view(Question("Publish it?", (("then", "agents see it"),))),
    "hostile": Stack(
        [
            Line(HOSTILE, "warning"),
            ResultView(ToolResult(ok=True, text=HOSTILE)),
            Fields([(HOSTILE, HOSTILE)]),
            Table(title=HOSTILE, columns=[Column(HOSTILE)], rows=[[HOSTILE]]),
            Section(HOSTILE, [(HOSTILE, HOSTILE)]),
            question_view(Question(HOSTILE, ((HOSTILE, HOSTILE),))),
        ]
    ),
}
