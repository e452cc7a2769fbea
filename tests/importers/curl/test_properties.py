"""Any words, quoted in any way: the tool sends what curl sends, or says otherwise."""

from collections.abc import Iterator
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparknb.importers.curl import read_curl
from tests.hosting import Answering, Session
from tests.importers.curl.generated import quoted
from tests.importers.curl.oracle import differences, run_all
from tests.importers.curl.recorder import Recorder, recording

ANY = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0x2FF, exclude_categories=["Cc"]),
    max_size=12,
)
TEXTS = ANY | st.text("ab '\"\\$`!{}&=%+\n\té€😀", max_size=12)
IN_HEADERS = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=12
)
IN_URLS = st.text("abcXYZ019-._~!$&'()*+,;=:@/?%é\"<>|^", max_size=12)
NAMES = st.sampled_from(["X-A", "x-b", "Accept", "If-Match", "X-Api-Key", "Cookie"])


@st.composite
def words(draw: st.DrawFn) -> list[str]:
    """Give the words of a command; the first is its URL."""
    found = ["@@/" + draw(IN_URLS)]
    for name in draw(st.lists(NAMES, max_size=2, unique_by=str.lower)):
        found += ["-H", f"{name}: {draw(IN_HEADERS)}"]
    for option in draw(
        st.lists(
            st.sampled_from(["--data-raw", "--data-urlencode", "--json", "-A"]),
            max_size=3,
        )
    ):
        found += [option, draw(TEXTS.filter(lambda text: "@" not in text))]
    extra = {
        "-u": st.builds("user:{}".format, TEXTS),
        "-b": st.builds("a={}".format, IN_HEADERS),
        "-e": IN_HEADERS,
        "--url-query": TEXTS.filter(lambda text: "@" not in text),
    }
    for option in sorted(draw(st.sets(st.sampled_from(sorted(extra)), max_size=2))):
        found += [option, draw(extra[option])]
    if draw(st.integers(0, 4)) == 0:
        found += ["-G"]
    return found


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with recording() as opened:
        yield opened


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    opened = Session(tmp_path_factory.mktemp("home"), approver=Answering())
    yield opened
    opened.close()


def write(found: list[str], origin: str, styles: list[int]) -> str:
    """Quote each word in its own way."""
    turn = cycle(styles)
    texts = [word.replace("@@", origin) for word in found]
    return " ".join(
        ["curl", *(quoted(t, lambda many: many[next(turn) % len(many)]) for t in texts)]
    )


@settings(max_examples=60)
@given(words(), st.lists(st.integers(0, 11), min_size=5, max_size=9))
def test_what_a_shell_hands_to_curl_is_what_is_imported(
    session: Session, recorder: Recorder, found: list[str], styles: list[int]
) -> None:
    (outcome,) = run_all([write(found, recorder.origin, styles)], session, recorder)
    if outcome.tool is None:
        assert outcome.codes, "no draft needs a reason"
    elif outcome.curl is not None:
        assert list(differences(outcome)) == [], outcome.command


@settings(max_examples=300)
@given(st.text("curl -XHd'\"\\$@{}[]=&;|<>#^`%\n\t:/.ab1é\0\ud800", max_size=60))
def test_no_text_makes_the_import_fail_or_name_a_value_it_keeps_apart(
    text: str,
) -> None:
    for parameters in ("none", "auto"):
        found = read_curl(f"curl http://a.test/ {text}", parameters=parameters)
        assert (found.definition is None) == bool(found.problems)
        shown = repr(found) + repr(found.to_wire())
        assert all(v not in shown for v in found.secrets.values() if len(v) > 20)
