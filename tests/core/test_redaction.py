import base64
import copy
import html
import json
import pickle
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sparknb.core.redaction import MASK, SHORTEST_HIDDEN, Redactor
from tests import canary

SECRET = 'p@ss/w+rd="42"<&>\'é'
TOKEN = "tok_LiveExample8812"


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# ------------------------------------------------------------------- what is hidden
@pytest.mark.parametrize("form", canary.text_forms(SECRET))
def test_each_common_spelling_of_a_secret_is_hidden(form: str) -> None:
    text = Redactor([SECRET]).text(f"before {form} after")
    assert form not in text
    assert text.startswith("before ")
    assert text.endswith(" after")
    assert MASK in text


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("after", ["", "y", "yz", "yzz"])
def test_no_character_of_a_base64_spelling_is_left(before: str, after: str) -> None:
    encoded = b64(f"{before}{TOKEN}{after}")
    first = 8 * len(before) // 6
    last = -(-8 * len(before + TOKEN) // 6)
    rest = encoded[last:] if after else ""
    assert Redactor([TOKEN]).text(f"<{encoded}>") == f"<{encoded[:first]}{MASK}{rest}>"


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BASIC ", "Basic  "])
def test_a_secret_is_hidden_without_its_scheme_word(scheme: str) -> None:
    redactor = Redactor([scheme + TOKEN])
    assert redactor.text(f"token={TOKEN}") == f"token={MASK}"
    assert redactor.text(f"Bearer {TOKEN}!") == f"Bearer {MASK}!"


def test_a_word_behind_the_scheme_too_short_to_hide_is_hidden_with_it() -> None:
    redactor = Redactor(["Bearer abc"])
    assert redactor.text("abc; Bearer abc") == f"abc; {MASK}"


def test_basic_credentials_are_hidden_decoded_whole_and_by_their_password() -> None:
    redactor = Redactor([f"Basic {b64('robot:hunter2-long')}"])
    assert redactor.text("login robot:hunter2-long failed") == f"login {MASK} failed"
    assert redactor.text("wrong password hunter2-long") == f"wrong password {MASK}"
    assert redactor.text("user robot") == "user robot"


@pytest.mark.parametrize("padding", ["", "="])
def test_a_secret_in_url_safe_base64_is_hidden_decoded(padding: str) -> None:
    inner = "?>?>?>?>secretA"
    secret = base64.urlsafe_b64encode(inner.encode()).decode().rstrip("=") + padding
    assert Redactor([secret]).text(f"got {inner}") == f"got {MASK}"


def test_a_secret_that_decodes_to_bytes_is_hidden_as_latin_1_too() -> None:
    octets = bytes(range(0xF0, 0x100))
    secret = base64.b64encode(octets).decode()
    assert Redactor([secret]).text(octets.decode("latin-1")) == MASK


def test_a_secret_with_letters_above_ascii_is_hidden_as_sent_in_latin_1() -> None:
    redactor = Redactor(["caf\xe9-token"])
    assert redactor.text("x=caf%E9-token") == f"x={MASK}"
    encoded = base64.b64encode("caf\xe9-token".encode("latin-1")).decode()
    assert redactor.text(encoded) == MASK


def test_a_secret_is_hidden_where_its_encoding_is_mistaken() -> None:
    redactor = Redactor(["caf\xe9-token"])
    as_utf_8 = "caf\xe9-token".encode("latin-1").decode("utf-8", "replace")
    as_latin_1 = "caf\xe9-token".encode().decode("latin-1")
    assert redactor.text(f"({as_utf_8})({as_latin_1})") == f"({MASK})({MASK})"


def test_a_secret_above_latin_1_is_hidden() -> None:
    redactor = Redactor(["ключ-🔑-секрет"])
    assert redactor.text("ключ-🔑-секрет") == MASK
    assert redactor.text(json.dumps("ключ-🔑-секрет")) == f'"{MASK}"'
    assert redactor.text(quote("ключ-🔑-секрет")) == MASK


def test_a_lone_surrogate_in_a_secret_or_a_text_breaks_nothing() -> None:
    assert Redactor(["abc\ud800def"]).text("x abc\ud800def") == f"x {MASK}"
    assert Redactor([TOKEN]).text("\udc80 \\ud800 %ff") == "\udc80 \\ud800 %ff"


def test_spaces_sent_as_plus_signs_are_found() -> None:
    secret = "correct horse battery"
    assert Redactor([secret]).text(f"q={quote_plus(secret)}&n=1") == f"q={MASK}&n=1"


def test_escapes_of_mixed_habits_are_undone() -> None:
    spelled = "p%40ss%2fw%2Brd%3d%22%34" + "2\"<&>'" + "%C3%a9"
    assert Redactor([SECRET]).text(f"a{spelled}b") == f"a{MASK}b"


def test_layers_of_escapes_are_undone() -> None:
    page = html.escape(json.dumps({"key": SECRET}))
    assert Redactor([SECRET]).text(f"<p>{page}</p>") == (
        f"<p>{{&quot;key&quot;: &quot;{MASK}&quot;}}</p>"
    )


def test_a_python_literal_is_undone() -> None:
    secret = "it's\x1bmine"
    assert Redactor([secret]).text(r"it\'s\x1bmine") == MASK


def test_an_entity_that_stands_for_two_characters_is_replaced_whole() -> None:
    assert html.unescape("&NotEqualTilde;") == "≂̸"
    secret = "abcde≂"
    assert Redactor([secret]).text("1 abcde&NotEqualTilde; 2") == f"1 {MASK} 2"


def test_a_number_entity_with_many_zeros_is_undone() -> None:
    assert Redactor(["secret"]).text("&#0000000115;ecret") == MASK
    hostile = "&#" + "0" * 10_000 + "1;"
    assert Redactor(["secret"]).text(hostile) == hostile


# -------------------------------------------------------------------- what is not
@pytest.mark.parametrize("value", ["", "abcde", "  abc  ", " " * 9, "Bearer a"[:5]])
def test_a_value_shorter_than_six_characters_is_not_hidden(value: str) -> None:
    assert len(value.strip()) < SHORTEST_HIDDEN
    text = f"abcde {value} Bearer"
    assert Redactor([value]).text(text) == text


def test_white_space_around_a_value_does_not_count() -> None:
    assert Redactor([f" {TOKEN}\n"]).text(f"<{TOKEN}>") == f"<{MASK}>"


@pytest.mark.parametrize(
    "text", ["", "x", "plain text", "100 % \\ & all", "&amp; %41 \\u0041 " * 3]
)
def test_a_text_without_a_secret_stays_as_it_is(text: str) -> None:
    assert Redactor([SECRET, TOKEN]).text(text) == text
    assert Redactor([]).text(text) == text


def test_six_characters_are_enough() -> None:
    assert Redactor(["abcdef"]).text("abcdef") == MASK


# ----------------------------------------------------------------------- several
def test_a_secret_inside_another_leaves_nothing_of_the_longer_one() -> None:
    redactor = Redactor(["abcdef", "abcdefghij"])
    assert redactor.text("1 abcdefghij 2 abcdef 3") == f"1 {MASK} 2 {MASK} 3"


def test_overlapping_secrets_are_hidden_as_one() -> None:
    redactor = Redactor(["abcdef", "defghi"])
    assert redactor.text("1 abcdefghi 2") == f"1 {MASK} 2"


def test_a_secret_that_overlaps_itself_is_hidden_to_its_end() -> None:
    assert Redactor(["abaaba"]).text("xabaabaabay") == f"x{MASK}y"
    assert Redactor(["aaaaaa"]).text("a" * 8) == MASK


def test_patterns_hide_what_only_looks_like_a_key() -> None:
    text = "key ghp_FAKE1111222233334444"
    assert Redactor([]).text(text) == text
    assert Redactor([], patterns=True).text(text) == f"key {MASK}"
    assert Redactor([], patterns=True).value({"k": [text]}) == {"k": [f"key {MASK}"]}


# ------------------------------------------------------------------- JSON values
def test_a_json_value_is_hidden_in_texts_and_names_of_members() -> None:
    value = {"a": [TOKEN, 1, True, None, 2.5], TOKEN: {"b": f"x{TOKEN}"}, "n": (TOKEN,)}
    assert Redactor([TOKEN]).value(value) == {
        "a": [MASK, 1, True, None, 2.5],
        MASK: {"b": f"x{MASK}"},
        "n": [MASK],
    }
    assert value["n"] == (TOKEN,)


def test_a_number_that_holds_a_secret_of_digits_is_hidden() -> None:
    redactor = Redactor(["12345678"])
    assert redactor.value([12345678, 912345678, 1234, 0.12345678, True]) == [
        MASK,
        f"9{MASK}",
        1234,
        f"0.{MASK}",
        True,
    ]


def test_a_number_too_long_to_be_printed_stays() -> None:
    huge = 10**5000
    assert Redactor(["12345678"]).value([huge]) == [huge]


def test_without_secrets_a_value_is_given_back_as_it_is() -> None:
    value = {"a": [1]}
    assert Redactor([]).value(value) is value


# -------------------------------------------------------------------- cut texts
def test_the_beginning_of_a_secret_at_a_cut_end_is_hidden() -> None:
    redactor = Redactor([TOKEN])
    assert redactor.text("body tok_tok_Live", cut=True) == f"body tok_{MASK}"
    assert redactor.text("body tok_Live") == "body tok_Live"
    assert redactor.text("body tok", cut=True) == "body tok"


def test_the_halves_of_a_secret_around_the_clip_mark_are_hidden() -> None:
    mark = "\n…[truncated middle]…\n"
    redactor = Redactor([TOKEN])
    text = redactor.text(f"head tok_Live{mark}8812 8812 tail", cut=True)
    assert text == f"head {MASK}{mark}{MASK} 8812 tail"
    assert redactor.text(f"a{mark}x8812 8812 tail", cut=True).endswith(
        "x8812 8812 tail"
    )


def test_an_end_that_matches_twice_is_hidden_by_the_longest() -> None:
    mark = "…[truncated middle]…"
    assert Redactor(["xx1212121212"]).text(f"{mark}12121212", cut=True) == mark + MASK


def test_a_whole_secret_in_a_cut_text_is_hidden_once() -> None:
    assert Redactor([TOKEN]).text(f"a {TOKEN}", cut=True) == f"a {MASK}"


# ------------------------------------------------------------ the object itself
def test_the_redactor_never_shows_what_it_hides() -> None:
    redactor = Redactor([TOKEN])
    shown = (
        f"{redactor!r} {redactor} {[getattr(redactor, n) for n in redactor.__slots__]}"
    )
    for form in canary.text_forms(TOKEN):
        assert form not in shown
    with pytest.raises(TypeError):
        vars(redactor)
    with pytest.raises(TypeError, match="cannot be pickled") as caught:
        pickle.dumps(redactor)
    assert TOKEN not in str(caught.value)
    with pytest.raises(TypeError):
        copy.deepcopy(redactor)


# ---------------------------------------------------------------------- property
secrets = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=6, max_size=40
)


@given(secret=secrets, before=st.text(max_size=12), after=st.text(max_size=12))
@example(secret='"\\"\\"\\', before="\\", after="\\")
@example(secret="%41%41", before="%", after="41")
@example(secret="&amp;&amp;", before="&", after="amp;")
@example(secret="//////", before="", after="")
def test_no_spelling_of_a_secret_is_left_wherever_it_stands(
    secret: str, before: str, after: str
) -> None:
    assume(secret == secret.strip() and not MASK.startswith(secret[:1]))
    assume(secret.lower().split()[0] not in {"bearer", "basic"})
    redactor = Redactor([secret])
    for form in canary.text_forms(secret):
        text = redactor.text(f"{before} {form} {after}")
        assert form not in text, form


# ------------------------------------------------------------------------- speed
@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "aaaaa" * 40_000,
        "%" * 200_000,
        "%61" * 66_000,
        "\\" * 200_000,
        "&#" * 100_000,
        "&#97;" * 40_000,
        "&amp;" * 40_000,
        "\\u0061" * 33_000,
    ],
)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(text: str) -> None:
    redactor = Redactor(["aaaaaaaaaaaaaaab", "%%%%%%%", "aaaaaa"])
    start = time.process_time()
    redactor.text(text)
    assert time.process_time() - start < 20  # quadratic would be many minutes
