"""The size of a tool in tokens, near enough to choose by."""

import json
import subprocess
import sys

import pytest

from sparknb.importers.openapi.sizes import tokens_of
from tests.importers.openapi.documents import draft_of, parameter


def counted(tool_id: str, description: str, schema: object) -> int:
    """Count with the tokenizer itself."""
    from sparknb.core.clip import clip

    seen = {"name": f"custom_{tool_id}", "description": description, "schema": schema}
    text = json.dumps(seen, ensure_ascii=False, separators=(",", ":"))
    low, high = 1, len(text.encode())
    while low < high:  # the least budget that keeps all of it is its size
        middle = (low + high) // 2
        low, high = (middle + 1, high) if clip(text, middle)[1] else (low, middle)
    return low


@pytest.mark.parametrize(
    ("summary", "about"),
    [
        ("Lists the items of an order", "The id of the order, as the list gives it."),
        ("Получает список всех заказов пользователя", "Номер заказа из списка."),
        ("取得列表", "返回所有订单，按时间排序。"),
        ("ユーザー一覧を取得します", "テキストです。"),
        ("Récupère la liste des élèves", "Le numéro de l'élève."),
    ],
)
def test_the_size_is_near_that_of_the_tokenizer(summary: str, about: str) -> None:
    node = {
        "operationId": "listTheItems",
        "summary": summary,
        "parameters": [
            parameter("orderId", required=True, description=about),
            parameter("limit", schema={"type": "integer", "default": 20}),
        ],
    }
    made = draft_of(node).definition
    told = (made["id"], made["description"], made["inputSchema"])
    assert tokens_of(*told) == pytest.approx(counted(*told), rel=0.25)


def test_an_import_needs_no_tokenizer() -> None:
    code = (
        "import sys; from sparknb.importers.openapi import import_operations as i\n"
        "from sparknb.importers.openapi.document import read_description as r\n"
        'd = r(\'{"openapi": "3.0.0", "info": {}, "paths": {"/a": {"get": {}}}}\')\n'
        "assert i(d, base_url='https://a.test').to_wire()['drafts'][0]['tokens'] > 9\n"
        "print('bpe_openai' in sys.modules)"
    )
    run = subprocess.run(  # this interpreter, and our own text
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert run.stdout.strip() == "False"
