"""What a person picks from after reading an API description."""

import json
from dataclasses import asdict

from sparknb.commands.imports_views import Found, choices
from sparknb.importers.openapi import import_operations
from sparknb.importers.openapi.document import read_description

KEY = "sk-proj-" + "FAKEfake" * 5


def test_a_key_in_the_texts_of_a_description_is_not_shown_to_pick_by() -> None:
    node = {"summary": f"Ask with {KEY}\x1b[31m", "tags": [f"tag {KEY}", "plain", 7]}
    root = {
        "openapi": "3.0.3",
        "servers": [{"url": "https://api.test"}],
        "paths": {"/a": {"get": node}},
    }
    description = read_description(json.dumps(root))
    imported = import_operations(description)
    found = Found(
        title=description.title,
        operations=description.operations(),
        imported=imported,
        wire=imported.to_wire(),
    )
    [choice] = choices(found).items
    assert choice.summary.startswith("Ask with ")
    assert choice.tags[1:] == ["plain"]
    assert KEY not in json.dumps(asdict(choice))
    assert "\x1b" not in choice.summary
