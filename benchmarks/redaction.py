"""Redaction: hiding 20 secret values in a text of 2 kB, beside one replace for each.

The other hides a value only where it stands as it is; ours also in base64, escaped
for JSON, URLs and HTML, and so on. The ratio is what that costs.
"""

import json

from benchmarks.measure import Figure, alternate, compared

__all__ = ["run"]

_VALUES = 20
_LENGTH = 2_000
_MASK = "[REDACTED]"


def run() -> list[Figure]:
    """Measure; a second or two."""
    secrets = [f"sk-{number:02}-{'QzX7' * 8}{number:02}" for number in range(_VALUES)]
    plain = ("The weather in Oslo is mild, with light rain. " * 50)[:_LENGTH]
    echoed = f"{plain[:900]} {secrets[3]} and {secrets[17]} {plain[1000:]}"
    city = {"city": "Oslo", "note": "mild & light, 10 %", "key": secrets[3]}
    written = json.dumps(json.dumps([city] * 15))[:_LENGTH]
    return [
        _row("redaction", "nothing to hide", plain, secrets),
        _row("redaction·echo", "two values echoed", echoed, secrets),
        _row("redaction·json", "JSON inside JSON", written, secrets),
    ]


def _row(name: str, what: str, text: str, secrets: list[str]) -> Figure:
    from sparknb.core.redaction import Redactor

    redactor = Redactor(secrets)

    def ours() -> None:
        hidden = redactor.text(text)
        assert not any(secret in hidden for secret in secrets)

    def theirs() -> None:
        hidden = text
        for secret in secrets:
            hidden = hidden.replace(secret, _MASK)
        assert not any(secret in hidden for secret in secrets)

    a, b, ratio = compared(*alternate(ours, theirs, rounds=30, calls=50))
    return Figure(
        id=name,
        work=f"{_VALUES} values in {len(text):,} characters, {what}",
        against="str.replace for each value",
        unit="ms",
        ours=a * 1000,
        theirs=b * 1000,
        ratio=ratio,
    )
