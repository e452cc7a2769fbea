"""Which images are let through: by content, by size, from where (ST-45)."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from sparknb.core.addresses import is_private
from sparknb.core.errors import (
    DeniedError,
    InvalidInputError,
    SparknbError,
    UnreachableError,
)
from sparknb.runtimes.vision import images
from tests.runtimes.vision.looking import (
    GIF,
    JPEG,
    PNG,
    WEBP,
    ask,
    chat,
    data_url,
    profile,
    runtime,
    tool,
)
from tests.runtimes.wire import Names, Peer, reply

CUT_OFF = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nConnection: close\r\n\r\n"


async def sent(folder: Path, *given: str, **options: Any) -> list[str]:
    """Give the images that the service received, as data URLs."""
    async with Peer([chat()]) as service:
        await ask(runtime(folder, profile(service.url("/v1")), **options), given)
    (request,) = service.seen
    parts = json.loads(request.body)["messages"][1]["content"]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


def refused(folder: Path, *given: str, **options: Any) -> SparknbError:
    """Give why a call with these images was refused; no service hears of it."""

    async def work() -> SparknbError:
        async with Peer([chat()]) as service:
            used = runtime(folder, profile(service.url("/v1")), **options)
            with pytest.raises(SparknbError) as caught:
                await ask(used, given)
        assert service.seen == []
        return caught.value

    return asyncio.run(work())


# ---------------------------------------------------------------------- content
@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (JPEG, "image/jpeg"),
        (GIF, "image/gif"),
        (GIF.replace(b"89", b"87"), "image/gif"),
        (WEBP, "image/webp"),
    ],
    ids=["png", "jpeg", "gif 89", "gif 87", "webp"],
)
def test_the_four_kinds_are_told_by_their_content(
    tmp_path: Path, data: bytes, kind: str
) -> None:
    (tmp_path / "picture.txt").write_bytes(data)
    given = [data_url(data, kind), "picture.txt"]
    assert asyncio.run(sent(tmp_path, *given)) == [data_url(data, kind)] * 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG",
        b"text",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%PDF-1.7",
        b"BM" + bytes(40),
        b"RIFF\x10\x00\x00\x00WAVE",
        b"\n" + PNG,
    ],
)
def test_anything_else_is_refused_whatever_it_is_called(
    tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "picture.png").write_bytes(data)
    for given in (data_url(data), "picture.png"):
        error = refused(tmp_path, data_url(), given)
        assert (error.code, error.path) == ("INVALID_INPUT", "input.images.1")


@pytest.mark.parametrize(
    "text",
    [
        data_url(JPEG, "IMAGE/JPG"),
        data_url(JPEG, "image/jpeg;name=a.jpg"),
        data_url(JPEG, "image/jpeg").replace("=", ""),
        data_url(JPEG, "image/jpeg").replace(",/9j/", ",%2F9j%2F"),
        data_url(JPEG, "image/jpeg").replace("data:", "DATA:"),
        data_url(JPEG, "image/jpeg") + "\n",
    ],
)
def test_a_data_url_may_be_spelled_in_many_ways(tmp_path: Path, text: str) -> None:
    assert asyncio.run(sent(tmp_path, text)) == [data_url(JPEG, "image/jpeg")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (data_url(JPEG, "image/png"), "says image/png and holds image/jpeg"),
        (data_url(PNG, "image/svg+xml"), "PNG, JPEG, WebP or GIF"),
        (data_url(PNG, "text/html"), "PNG, JPEG, WebP or GIF"),
        (data_url(PNG, ""), "PNG, JPEG, WebP or GIF"),
        ("data:image/png,%89PNG", "base64"),
        ("data:image/png;base64", "no data URL"),
        ("data:image/png;base64,****", "no base64"),
        ("data:image/png;base64,AAAAA", "no base64"),
        ("data:image/png;base64,ÄÖÜ", "no base64"),
        ("data:", "no data URL"),
        ("data:image/png;" + "a" * 100_000, "no data URL"),
        ("", "names no image"),
        ("   ", "names no image"),
        ("x" * 5000, "names no image"),
        ("file:///etc/passwd", "no address of an image"),
        ("javascript:alert(1)", "no address of an image"),
        ("ftp://a.test/b.png", "1 begins with ftp:, which is no address of an image"),
        ("http://", "no address that can be asked"),
        ("https://user:canary-in-url@example.com/a.png", "no address"),
        ("http://exa mple.com/a.png", "no address"),
        ("a\0b.png", "1 is no path: it holds a NUL"),
        ("missing.png", "1 names missing.png, and there is no such file"),
        (".", "not a file"),
        ("sub", "1 names sub, which is not a file"),
    ],
)
def test_what_names_no_image_is_refused_where_it_stands(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "sub").mkdir()
    error = refused(tmp_path, data_url(), text, data_url())
    assert (error.code, error.path) == ("INVALID_INPUT", "input.images.1")
    assert said in error.message
    assert len(error.message) < 300
    assert "canary" not in repr([error.message, error.hint, *error.problems])


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    error = refused(tmp_path, "file:x", data_url(), "data:,", "ftp://x")
    assert [p.path for p in error.problems] == [f"input.images.{n}" for n in (0, 2, 3)]
    (tmp_path / "text.png").write_text("text", encoding="utf-8")
    error = refused(tmp_path, "text.png", data_url(), "missing.png")
    assert [p.path for p in error.problems] == ["input.images.0", "input.images.2"]
    assert error.message.startswith("input.images.0 does not hold a PNG")


@pytest.mark.parametrize("count", [0, 3, 100])
def test_the_number_of_images_is_bounded_by_the_tool(
    tmp_path: Path, count: int
) -> None:
    used = runtime(tmp_path)
    with pytest.raises(InvalidInputError) as caught:
        used.prepare(tool(max_images=2), {"images": [data_url()] * count})
    assert caught.value.path == "input.images"
    assert f"not {count}" in caught.value.message


@pytest.mark.parametrize("more", [0, 1])
def test_an_image_has_at_most_ten_mebibytes(tmp_path: Path, more: int) -> None:
    data = PNG.ljust(images.LARGEST + more, b"\0")
    (tmp_path / "large.png").write_bytes(data)
    if not more:
        assert len(asyncio.run(sent(tmp_path, "large.png"))[0]) > images.LARGEST
        assert asyncio.run(sent(tmp_path, data_url(data))) == [data_url(data)]
        return
    for given in ("large.png", data_url(data), "data:image/png;base64," + "A" * 10**8):
        error = refused(tmp_path, given)
        assert (error.code, error.path) == ("INVALID_INPUT", "input.images.0")
        assert "larger than 10 MiB" in error.message


# ------------------------------------------------------------------------ files
@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give the folder of a notebook, with an image beside it that it must not have."""
    (tmp_path / "outside.png").write_bytes(PNG)
    folder = tmp_path / "notebook"
    (folder / "charts").mkdir(parents=True)
    (folder / "charts" / "größe 1.png").write_bytes(PNG)
    (folder / "way").symlink_to("charts")
    (folder / "out").symlink_to(tmp_path)
    (folder / "image.png").symlink_to(tmp_path / "outside.png")
    (folder / "inside.png").symlink_to("charts/größe 1.png")
    (folder / "loop").symlink_to("loop")
    (folder / "nowhere").symlink_to(tmp_path / "missing.png")
    return folder


@pytest.mark.parametrize(
    "name",
    ["charts/größe 1.png", "./charts/../way/größe 1.png", "inside.png"],
)
def test_a_path_counts_from_the_folder_and_may_follow_links_inside(
    folder: Path, name: str
) -> None:
    assert asyncio.run(sent(folder, name)) == [data_url()]


@pytest.mark.parametrize(
    "name",
    [
        "../outside.png",
        "../missing.png",
        "charts/../../outside.png",
        "image.png",
        "out/outside.png",
        "out/missing.png",
        "out/notebook/../outside.png",
        "nowhere",
        "loop",
        "loop/x.png",
        "/etc/passwd",
        "//etc/passwd",
        "/proc/self/environ",
        "out",
        "..",
    ],
)
def test_a_path_that_leads_out_is_denied_whether_or_not_a_file_is_there(
    folder: Path, name: str
) -> None:
    error = refused(folder, data_url(), name)
    assert (error.code, error.path) == ("DENIED", "input.images.1")


def test_the_absolute_path_of_an_image_inside_is_denied_too(folder: Path) -> None:
    assert refused(folder, str(folder / "charts" / "größe 1.png")).code == "DENIED"


def test_a_folder_may_itself_be_reached_by_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert asyncio.run(sent(tmp_path / "link", "inside.png")) == [data_url()]


def test_the_whole_file_system_is_no_folder(folder: Path) -> None:
    name = str(folder / "inside.png").removeprefix("/")
    assert refused(Path("/"), name).code == "DENIED"


def test_a_link_that_is_swapped_after_the_check_is_not_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sparknb.runtimes.vision import folder as inside

    (folder / "moving").mkdir()
    (folder / "moving" / "a.png").write_bytes(PNG)
    (folder.parent / "a.png").write_bytes(PNG)
    found = inside.find_inside

    def find_then_swap(root: Path, name: str) -> Path:
        place = found(root, name)
        (folder / "moving" / "a.png").unlink(missing_ok=True)
        (folder / "moving").rmdir()
        (folder / "moving").symlink_to(folder.parent)
        return place

    monkeypatch.setattr(inside, "find_inside", find_then_swap)
    error = refused(folder, "moving/a.png")
    assert error.code == "INVALID_INPUT"
    assert "which cannot be read" in error.message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a system with pipes")
def test_a_pipe_is_no_image_and_nobody_waits_for_it(folder: Path) -> None:
    os.mkfifo(folder / "pipe.png")
    descriptors = Path("/proc/self/fd")
    before = len([*descriptors.iterdir()]) if descriptors.exists() else 0
    for _ in range(3):
        assert refused(folder, "pipe.png").code == "INVALID_INPUT"
    if before:
        assert len([*descriptors.iterdir()]) <= before


def test_a_file_name_cannot_steer_the_terminal(folder: Path) -> None:
    error = refused(folder, "\x1b[31m\u202eevil.png")
    assert "\x1b" not in error.message
    assert "\u202e" not in error.message


# -------------------------------------------------------------------- addresses
@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let loopback stand for a public address, and 127.0.0.2 for a private one."""

    def judged(address: Any) -> bool:
        return str(address) != "127.0.0.1" and is_private(address)

    monkeypatch.setattr("sparknb.runtimes.guard.is_private", judged)


NAMES = {"pictures.test": [["127.0.0.1"]], "inner.test": [["127.0.0.2"]]}


def of_url(tmp_path: Path, answer: bytes, *more: bytes) -> tuple[list[str], Peer]:
    """Give what the service receives of an image at an address."""

    async def work() -> tuple[list[str], Peer]:
        async with Peer([answer, *more]) as pictures:
            url = pictures.url("/a.png?token=canary", host="pictures.test")
            return await sent(tmp_path, url, resolve=Names(NAMES)), pictures

    return asyncio.run(work())


@pytest.mark.usefixtures("public")
def test_an_image_at_a_public_address_is_read(tmp_path: Path) -> None:
    urls, pictures = of_url(tmp_path, reply(PNG, "200 OK", "Content-Type: text/html"))
    assert urls == [data_url()]
    (seen,) = pictures.seen
    assert (seen.method, seen.target) == ("GET", "/a.png?token=canary")
    assert seen.headers["user-agent"] == "sparknb/1.2.3"
    assert "authorization" not in seen.headers


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (reply("no", "404 Not Found"), "HTTP_ERROR"),
        (reply(PNG, "206 Partial Content", length=False), None),
        (reply("<html>", "200 OK", "Content-Type: image/png"), "INVALID_INPUT"),
        (reply(b"", "200 OK"), "INVALID_INPUT"),
        (reply(PNG.ljust(10_485_761, b"\0")), "INVALID_INPUT"),
        (CUT_OFF + PNG, "UNREACHABLE"),
        (b"nonsense\r\n\r\n", "UNREACHABLE"),
        (reply("", "302 Found", "Location: http://inner.test/a.png"), "DENIED"),
        (reply("", "302 Found", "Location: http://169.254.169.254/"), "DENIED"),
        (reply("", "302 Found", "Location: file:///etc/passwd"), "DENIED"),
        (reply("", "302 Found", "Location: http://10.0.0.1/a.png"), "DENIED"),
    ],
)
def test_what_an_address_answers_is_judged_like_any_image(
    tmp_path: Path, answer: bytes, code: str | None
) -> None:
    async def work() -> None:
        async with Peer([answer, None]) as pictures:
            url = pictures.url("/a.png?token=canary", host="pictures.test")
            await sent(tmp_path, url, resolve=Names(NAMES))

    if code is None:
        asyncio.run(work())
        return
    with pytest.raises(SparknbError) as caught:
        asyncio.run(work())
    assert (caught.value.code, caught.value.path) == (code, "input.images.0")
    assert caught.value.message.startswith("input.images.0")
    assert "canary" not in caught.value.message


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/a.png",
        "http://localhost/a.png",
        "http://0x7f.1/a.png",
        "http://2130706433/a.png",
        "http://[::1]/a.png",
        "http://[::ffff:10.0.0.1]/a.png",
        "http://10.1.2.3/a.png",
        "http://192.168.0.1/a.png",
        "http://169.254.169.254/latest/meta-data/",
        "https://metadata.google.internal/",
    ],
)
def test_a_private_address_is_denied_before_anything_is_sent(
    tmp_path: Path, url: str
) -> None:
    used = runtime(tmp_path)
    with pytest.raises(DeniedError) as caught:
        used.prepare(tool(), {"images": [url]})
    assert caught.value.path == "input.images.0"
    assert "notebook's folder" in (caught.value.hint or "")


def test_a_name_that_leads_home_is_denied(tmp_path: Path) -> None:
    names = Names({"rebind.test": [["93.184.216.34", "127.0.0.1"]]})
    error = refused(tmp_path, "http://rebind.test/a.png", resolve=names)
    assert (error.code, error.path) == ("DENIED", "input.images.0")
    assert names.asked == ["rebind.test"]


def test_a_name_without_an_address_is_unreachable(tmp_path: Path) -> None:
    error = refused(tmp_path, "http://unknown.test/a.png", resolve=Names({}))
    assert isinstance(error, UnreachableError)
