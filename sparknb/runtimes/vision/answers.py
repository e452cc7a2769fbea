"""What a service answered, taken out of the JSON of its protocol."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sparknb.core.chat import ChatAnswer
from sparknb.core.errors import ExecutionFailedError
from sparknb.core.providers import ProviderProfile
from sparknb.core.wording import show
from sparknb.runtimes.body import decode_text
from sparknb.runtimes.egress import Answer

__all__ = ["chat_answer", "model_names"]

_MOST_MODELS = 1000
_LONGEST_NAME = 200
_LONGEST_EXCERPT = 500
_STREAM = "text/event-stream"


def chat_answer(profile: ProviderProfile, answer: Answer) -> ChatAnswer:
    """Give the text of a chat answer.

    Raises:
        ExecutionFailedError: The model refused, said nothing, or the answer is not
            one of this protocol.
    """
    document = _document(profile, answer)
    choice = _first(document.get("choices"))
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise _unreadable(profile, "it holds no choices with a message")
    reason = choice.get("finish_reason")
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        raise ExecutionFailedError(
            f"the model of {profile.id} refused: {refusal[:_LONGEST_EXCERPT]}"
        )
    text = _text(message.get("content"))
    if reason == "content_filter":
        raise ExecutionFailedError(
            f"{profile.id} withheld the answer: its content filter stopped it"
        )
    if not text.strip():
        why = " before it ran out of tokens" if reason == "length" else ""
        raise ExecutionFailedError(
            f"the model of {profile.id} gave no text{why}",
            hint="raise maxTokens, or name a model that takes images",
        )
    return ChatAnswer(text=text, is_cut=reason == "length", status=answer.status)


def model_names(profile: ProviderProfile, answer: Answer) -> Sequence[str]:
    """Give the ids of the models that a service lists, sorted.

    Raises:
        ExecutionFailedError: The answer is no list of models.
    """
    listed = _document(profile, answer).get("data")
    if not isinstance(listed, list):
        raise _unreadable(profile, "it holds no list of models")
    ids = [model.get("id") for model in listed if isinstance(model, dict)]
    names = {name[:_LONGEST_NAME] for name in ids if isinstance(name, str) and name}
    return sorted(names)[:_MOST_MODELS]


def _document(profile: ProviderProfile, answer: Answer) -> Mapping[str, Any]:
    """Give the JSON object of an answer that is no error."""
    if answer.content_type.lower().startswith(_STREAM):
        raise _unreadable(profile, "it is a stream, which was not asked for")
    if answer.is_cut:
        raise _unreadable(profile, "it is too large")
    text = decode_text(answer.body, answer.content_type, is_cut=False)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise _unreadable(profile, "it is not JSON") from None
    if not isinstance(document, dict):
        raise _unreadable(profile, "it is no JSON object")
    if document.get("error"):  # some services fail with status 200
        said = _error_text(document["error"])
        raise ExecutionFailedError(f"{profile.id} answered with an error: {said}")
    return document


def _error_text(error: Any) -> str:
    said = error.get("message") if isinstance(error, dict) else error
    text = said if isinstance(said, str) else "it gives no message"
    return show(text, _LONGEST_EXCERPT)


def _text(content: Any) -> str:
    """Give the text of a message: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _first(choices: Any) -> Any:
    return choices[0] if isinstance(choices, list) and choices else None


def _unreadable(profile: ProviderProfile, reason: str) -> ExecutionFailedError:
    return ExecutionFailedError(
        f"the answer of {profile.id} cannot be read: {reason}",
        hint=f"check its base URL: sparknb provider test {profile.id}",
    )
