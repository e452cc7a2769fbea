"""What is said about options that an import leaves out or refuses."""

from collections.abc import Mapping
from types import MappingProxyType

from sparknb.importers.curl.options import Treatment

__all__ = ["LEFT_OUT", "REDIRECTS", "REFUSED", "SWITCHED_OFF", "Refusal"]

Refusal = tuple[str, str, str]
"""Code, what the option does, what to do."""

LEFT_OUT: Mapping[Treatment, str] = MappingProxyType(
    {
        "quiet": "left out; a tool needs nothing of the kind",
        "redirects": (
            "left out; redirects are followed by fixed rules, at most 10, and secrets "
            "stay with the first origin"
        ),
        "output": "left out; nothing is written to a file, the tool gives the answer",
        "limits": "left out; a tool has limits and TLS rules of its own",
        "trust": (
            "left out; certificates are always checked against those of the system"
        ),
    }
)
SWITCHED_OFF = "left out; it only switches something off"
REDIRECTS = (
    "redirects are followed by fixed rules, at most 10, also where -L is not given"
)
_REMOVE = "remove it if the request works without it"
REFUSED: Mapping[Treatment, Refusal] = MappingProxyType(
    {
        "head": (
            "CURL_METHOD",
            "asks for HEAD, which a tool cannot send",
            "use GET, or leave it out",
        ),
        "form": (
            "CURL_UNSUPPORTED_OPTION",
            "sends a multipart body or a file, which a tool cannot do",
            "where the service takes them, use -d with a form or JSON",
        ),
        "file": (
            "CURL_FILE",
            "reads a local file, which an import never does",
            "write what it holds into the command",
        ),
        "next": (
            "CURL_MULTIPLE",
            "begins another request",
            "import the requests one by one",
        ),
        "route": (
            "CURL_UNSUPPORTED_OPTION",
            "changes where or by which way the request goes, which a tool cannot do",
            _REMOVE,
        ),
        "credentials": (
            "CURL_UNSUPPORTED_OPTION",
            "asks for a way of signing in, or of TLS, that a tool does not have",
            "use a header or -u, if the service takes them",
        ),
        "other": (
            "CURL_UNSUPPORTED_OPTION",
            "does something that a tool cannot do",
            _REMOVE,
        ),
    }
)
