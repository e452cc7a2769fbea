"""Every code that sparknb gives, what it means, and what usually helps.

`docs/errors.md` is checked against this table, so a code is added here first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sparknb.core.results import CallStatus

__all__ = ["CODES", "SAME_MEANING", "Code", "Use"]

Use = Literal["problem", "warning", "skip", "operation"]


@dataclass(frozen=True, slots=True)
class Code:
    """A stable code.

    Attributes:
        use: `problem` refuses a definition, `warning` only informs, `skip` leaves
            one entry of an import out, `operation` ends a call or a command.
        meaning: One sentence.
        advice: What to do about it when the message says nothing better.
        status: What a trace says of a call that ended so; None if no call can.
    """

    use: Use
    meaning: str
    advice: str
    status: CallStatus | None = None


def _problem(meaning: str, advice: str) -> Code:
    return Code("problem", meaning, advice)


def _warning(meaning: str, advice: str) -> Code:
    return Code("warning", meaning, advice)


def _skip(meaning: str, advice: str) -> Code:
    return Code("skip", meaning, advice)


def _operation(meaning: str, advice: str, status: CallStatus | None = "error") -> Code:
    return Code("operation", meaning, advice, status)


_FIELDS = {
    "FIELD_MISSING": _problem(
        "A required key is absent.",
        "Add the key at the path given.",
    ),
    "FIELD_UNKNOWN": _problem(
        "An object has a key that it does not know.",
        "Remove it or correct its spelling; the hint lists the known keys.",
    ),
    "FIELD_TYPE": _problem(
        "A value has the wrong JSON type.",
        "Write the type that the message names; nothing is converted.",
    ),
    "FIELD_VALUE": _problem(
        "A value has the right type and breaks a rule on length, range or form.",
        "Change the value so that it obeys the rule in the message.",
    ),
}
_DEFINITIONS = {
    "RISK_INCONSISTENT": _problem(
        "Effect or idempotency contradicts the risk.",
        "Leave all three out of an http tool, or raise the risk.",
    ),
    "RISK_BELOW_FLOOR": _problem(
        "The risk is below what the tool can do.",
        "Set it to the level that the message names, or higher.",
    ),
    "INVALID_JSONPATH": _problem(
        "A path is no JSONPath as RFC 9535 defines it.",
        "Correct it at the position given.",
    ),
    "HEADER_NOT_ALLOWED": _problem(
        "A header has an invalid name, is there twice, or is set by sparknb itself.",
        "Remove the header or change its name.",
    ),
    "SENSITIVE_NAME": _problem(
        "Something that is named like a secret takes its value from a template.",
        "Declare the secret in secretRefs and send it in a header with secretRef.",
    ),
    "LITERAL_SECRET": _problem(
        "A text holds what looks like a secret.",
        "Remove it, revoke it where it came from, and store the new one as a secret.",
    ),
    "SECRET_UNUSED": _problem(
        "A declared secret is used by no header.",
        "Use it as the secretRef of a header, or remove it.",
    ),
    "SECRET_UNDECLARED": _problem(
        "A header uses a secret that is not declared.",
        "Add its name to secretRefs.",
    ),
    "SECRET_REFERENCE": _problem(
        "A secret reference is not the tool's own.",
        "Write custom-tool:, the tool's id, a colon and the secret's name.",
    ),
    "SECRET_NOT_ALLOWED": _problem(
        "A tool of this type cannot use secrets.",
        "Let an http tool hold the secret.",
    ),
    "CASE_INVALID": _problem(
        "A test case is not written as it should be.",
        "Correct the case at the path given.",
    ),
}
_CODE_TOOLS = {
    "CODE_SYNTAX": _problem(
        "The source cannot be parsed.",
        "Correct it at the line and column given.",
    ),
    "CODE_ENTRY": _problem(
        "The source does not have the function that is called.",
        "Export a default function (TypeScript) or define run (Python).",
    ),
    "CODE_IMPORT": _problem(
        "The source loads a module that it may not load.",
        "Do without it; programs reach the world by calling http tools.",
    ),
    "CODE_TYPES": _problem(
        "The type check of the source found an error.",
        "Correct it at the line and column given.",
    ),
}
_DEPENDENCIES = {
    "DEPENDENCY_SELF": _problem(
        "A tool lists itself among the tools that it calls.",
        "Remove its own id from toolIds.",
    ),
    "DEPENDENCY_MISSING": _problem(
        "A tool that is called does not exist or was never published.",
        "Publish it first, or remove its id.",
    ),
    "DEPENDENCY_DISABLED": _problem(
        "A tool that is called is disabled.",
        "Enable it first.",
    ),
    "DEPENDENCY_CYCLE": _problem(
        "Tools call each other in a circle.",
        "Break the chain that the message shows.",
    ),
    "DEPENDENCY_DEPTH": _problem(
        "A chain of tools that call each other is longer than 8.",
        "Shorten the chain.",
    ),
    "DEPENDENCY_RISK": _problem(
        "The risk is below that of a tool that is called.",
        "Raise it to that level.",
    ),
    "TOOL_IN_USE": _warning(
        "Other tools call the one that was published, disabled or deleted.",
        "Look at those that the message lists.",
    ),
}
_CURL = {
    "CURL_NOT_CURL": _problem(
        "The text is no curl command.",
        "Paste a command that begins with curl.",
    ),
    "CURL_SYNTAX": _problem(
        "The command has an open quote, a NUL or an option without its value.",
        "Copy the command again, whole.",
    ),
    "CURL_SHELL": _problem(
        "The command needs a shell to be understood.",
        "Write what the shell would put there; quote the URL.",
    ),
    "CURL_UNKNOWN_OPTION": _problem(
        "No option of curl has this name.",
        "Correct it; options are written in full.",
    ),
    "CURL_UNSUPPORTED_OPTION": _problem(
        "The option does something that a tool cannot do.",
        "Remove it if the request works without it.",
    ),
    "CURL_METHOD": _problem(
        "The method is none of GET, POST, PUT, PATCH and DELETE.",
        "Use one of the five.",
    ),
    "CURL_FILE": _problem(
        "The option reads a local file.",
        "Write the content into the command.",
    ),
    "CURL_SECRET": _problem(
        "A secret stands where no secret can be kept.",
        "Send it in a header.",
    ),
    "CURL_MULTIPLE": _problem(
        "The command makes more than one request.",
        "Import the requests one by one.",
    ),
    "CURL_URL": _problem(
        "The command has no URL, or one that no tool can call.",
        "Give one http or https URL without user info and patterns.",
    ),
    "CURL_BODY": _problem(
        "A GET or DELETE request has a body, which would be lost.",
        "Remove the body or change the method.",
    ),
}
_OPENAPI = {
    "NO_SERVER": _skip(
        "The operation has no address that a tool can call.",
        "Give one with --base-url.",
    ),
    "UNSUPPORTED_METHOD": _skip(
        "The method is none of GET, POST, PUT, PATCH and DELETE.",
        "Nothing, unless the service offers the same under another method.",
    ),
    "UNDECLARED_PATH_PARAMETER": _skip(
        "The path names a parameter that the document does not declare.",
        "Declare it in the document.",
    ),
    "UNSUPPORTED_PARAMETER": _skip(
        "A required parameter is written in a way that a tool cannot send.",
        "Write the tool by hand, or change the parameter's style in the document.",
    ),
    "COOKIE_PARAMETER": _skip(
        "A required parameter is sent as a cookie, which is a secret header here.",
        "Write the tool by hand, with Cookie as a secret header.",
    ),
    "SENSITIVE_QUERY": _skip(
        "A required query parameter is named like a secret, and an address keeps none.",
        "Use an operation that takes the secret in a header.",
    ),
    "UNSUPPORTED_BODY": _skip(
        "The request needs a body of a kind that a tool cannot send.",
        "Use an operation that takes JSON, a form or text.",
    ),
    "TOO_MANY_PARAMETERS": _skip(
        "More than 32 parameters are required.",
        "Write the tool by hand, with some of them fixed.",
    ),
    "TOO_LONG": _skip(
        "The address or the body template would be longer than a tool's may be.",
        "Write the tool by hand, with fewer optional parts.",
    ),
    "UNSUPPORTED_SECURITY": _skip(
        "The operation wants credentials in a way that a tool cannot give.",
        "Use an operation that takes them in a header.",
    ),
    "EXTERNAL_REF": _skip(
        "A reference leads out of the document and its folder.",
        "Put what it names into the document.",
    ),
    "UNRESOLVED_REF": _skip(
        "A reference leads to nothing.",
        "Correct it in the document.",
    ),
    "CIRCULAR_REF": _skip(
        "A chain of references comes back to itself without a value.",
        "Correct it in the document.",
    ),
    "INVALID_DEFINITION": _skip(
        "The tool that was made of it breaks rules, which are listed.",
        "Read them; then correct the document or write the tool by hand.",
    ),
}
_IMPORTS = {
    "IMPORT_NOTICE": _warning(
        "Something of what was imported is done in another way, or left out.",
        "Read the message; nothing, if that is what you want.",
    ),
    "SECRET_CAPTURED": _warning(
        "A secret was found in what was pasted, and kept out of the definition.",
        "Nothing, where it went to the keychain; else set it as the hint says.",
    ),
    "SECRET_IN_CELL": _warning(
        "A cell of the notebook still holds a secret in plain text.",
        "Replace the cell before you save or share the notebook.",
    ),
}
_WARNINGS = {
    "NAME_LONG": _warning(
        "The name an agent sees is longer than some model providers accept.",
        "Use an id of at most 57 characters.",
    ),
    "BODY_NOT_SENT": _warning(
        "The request has a body, and its method sends none.",
        "Remove the body or change the method.",
    ),
    "SENSITIVE_PARAMETER": _warning(
        "A query name or JSON member looks like that of a secret.",
        "Send a secret in a header with secretRef.",
    ),
    "PARAMETER_UNUSED": _warning(
        "A parameter is declared and no template uses it.",
        "Use it or remove it.",
    ),
    "CHECK_SKIPPED": _warning(
        "A program could not be looked at: the draft is kept, but not published.",
        "Install what the message names; sparknb doctor tries the sandboxes out.",
    ),
    "NOT_IN_ORIGINAL": _warning(
        "The original program cannot load this tool, or runs it differently.",
        "Nothing, unless the file is meant for the original.",
    ),
    "NOT_EXPRESSED": _warning(
        "The form of a provider's tools has no place for something.",
        "Nothing, unless the model has to know it: then write it into the description.",
    ),
}
_PROVIDERS = {
    "PROVIDER_UNKNOWN": _warning(
        "A vision tool names a provider profile that is not there.",
        "Add it with: sparknb provider add ID --base-url URL.",
    ),
    "KEY_UNENCRYPTED": _warning(
        "The key of a provider travels unencrypted over a network.",
        "Use an https address where the service has one.",
    ),
}
_PLACES = {
    "HOME_NOT_CONFIRMED": _warning(
        "A .sparknb folder is passed over: it was not made or confirmed here.",
        "If you trust what it holds, confirm it with: sparknb init DIR.",
    ),
    "HOME_OPEN": _warning(
        "Other users of this machine may look into the home.",
        "Take their rights away, as the hint shows.",
    ),
    "LESSON_CHANGED": _warning(
        "A newer lesson lies beside the one that you changed.",
        "Rename or delete yours, and the next sparknb lab brings the new one.",
    ),
    "SETTING_UNKNOWN": _warning(
        "A setting in settings.toml is not known and does nothing.",
        "Remove it or correct its spelling.",
    ),
}
_SECRET_NOTICES = {
    "SECRET_BOUND": _warning(
        "A secret is bound to the origin that its tool has now.",
        "Set it again when the tool's URL leads elsewhere.",
    ),
    "SECRET_IN_MEMORY": _warning(
        "A secret is kept in memory only and is gone when the process ends.",
        "Unlock or install a keychain to keep it; sparknb doctor tells how.",
    ),
    "SECRET_SHORT": _warning(
        "A secret is so short that results cannot hide it.",
        "Use a longer one where the service allows it.",
    ),
    "SECRET_STRIPPED": _warning(
        "Blanks around a secret were taken off before it was stored.",
        "Nothing, unless they belong to it.",
    ),
}
_OPERATIONS = {
    "INVALID_INPUT": _operation(
        "A call input, a definition or an argument is refused.",
        "Correct what the problems list.",
    ),
    "INVALID_TEMPLATE": _operation(
        "A template cannot be read, or cannot be rendered to a valid request.",
        "Correct the template at the path given.",
    ),
    "SECRET_MISSING": _operation(
        "A declared secret has no value for this origin.",
        "Set it with: sparknb secret set ID NAME.",
    ),
    "TIMEOUT": _operation(
        "The tool's own time limit passed.",
        "Try again, or raise timeoutMs.",
        "timeout",
    ),
    "CANCELLED": _operation(
        "The caller stopped the call.",
        "Call again if it was not meant.",
        "cancelled",
    ),
    "DENIED": _operation(
        "A person, a rule or the egress guard said no.",
        "Read the reason; enable the tool, or ask for approval.",
        "denied",
    ),
    "APPROVAL_UNAVAILABLE": _operation(
        "The call needs a person's approval and nobody can be asked here.",
        "Call it where a person can answer, such as a terminal.",
        "denied",
    ),
    "KEYCHAIN_UNAVAILABLE": _operation(
        "The keychain is locked, absent, read-only or refuses.",
        "Unlock it, or choose another with SPARKNB_KEYCHAIN.",
    ),
    "UNREACHABLE": _operation(
        "The server could not be reached, or its answer was broken.",
        "Check the address, the network and whether the server runs.",
    ),
    "HTTP_ERROR": _operation(
        "The server answered with a status outside 200-299.",
        "Read the beginning of its answer in the message.",
    ),
    "EXECUTION_FAILED": _operation(
        "The tool failed while it ran.",
        "Read the reason in the message.",
    ),
    "NOT_IMPLEMENTED": _operation(
        "The name is reserved for something that does not exist yet.",
        "Use one of the supported kinds that the message names.",
    ),
    "NOT_FOUND": _operation(
        "No tool, version or secret has this name.",
        "List what there is, and check the spelling.",
    ),
    "ALREADY_EXISTS": _operation(
        "The name is taken.",
        "Choose another one, or save the existing draft.",
    ),
    "CONFLICT": _operation(
        "It was changed elsewhere in the meantime.",
        "Load it again and repeat the change.",
        None,
    ),
    "CASES_NOT_PASSING": _operation(
        "Publishing wants passing cases for exactly this draft.",
        "Run all cases, and correct those that fail.",
        None,
    ),
    "USAGE": _operation(
        "The command was used in a way that it does not know.",
        "Read its --help.",
        None,
    ),
    "INTERNAL_ERROR": _operation(
        "The program itself made a mistake.",
        "Report it with the traceback.",
        None,
    ),
    "REGISTRY_NEWER": _operation(
        "A later version of sparknb made this registry.",
        "Upgrade sparknb, or use another home.",
        None,
    ),
    "REGISTRY_UNAVAILABLE": _operation(
        "The registry cannot be opened, read or written.",
        "Check that the database is there and that you may write to it.",
        None,
    ),
}

CODES: Mapping[str, Code] = {
    **_FIELDS,
    **_DEFINITIONS,
    **_CODE_TOOLS,
    **_DEPENDENCIES,
    **_CURL,
    **_OPENAPI,
    **_IMPORTS,
    **_WARNINGS,
    **_PROVIDERS,
    **_PLACES,
    **_SECRET_NOTICES,
    **_OPERATIONS,
}

# Codes of other tool families that mean the same as one above; none exist yet.
SAME_MEANING: Mapping[str, str] = {}
