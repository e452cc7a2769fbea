"""The fixtures themselves: each of their promises is broken once, and seen to be."""

import os
import signal

from tests.browser.desk import OWN_KERNEL, Desk
from tests.browser.lab_server import DEBUG_KERNEL
from tests.canary import forms

BUTTON = """
import ipywidgets
clicks = []
button = ipywidgets.Button(description="Press me")
button.on_click(lambda _: clicks.append(1))
button
"""

# The same text once as content of a message, once as its buffer.
TWO_WAYS = """
import anywidget, traitlets
class Sender(anywidget.AnyWidget):
    _esm = '''
    export default { render({ model, el }) {
      const button = document.createElement("button");
      button.textContent = "Send both";
      button.onclick = () => model.send(
        { text: "cont" + "ent-4711" }, undefined,
        [new TextEncoder().encode("buff" + "er-4711")]);
      el.append(button);
    } };
    '''
    kept = traitlets.Unicode("st" + "ate-4711").tag(sync=True)
arrived = []
sender = Sender()
sender.on_msg(lambda _, content, buffers: arrived.append((content, buffers)))
sender
"""

ELSEWHERE = """async () => {
  await fetch("http://192.0.2.1/fetched").catch(() => null);
  const image = new Image();
  const failed = new Promise((done) => { image.onerror = done; });
  image.src = "http://elsewhere.invalid/image.png";
  await failed;
  const socket = new WebSocket("ws://192.0.2.1/socket");
  await new Promise((done) => { socket.onerror = done; });
}"""


def test_a_click_on_a_widget_reaches_the_kernel(desk: Desk) -> None:
    notebook = desk.open([BUTTON, "len(clicks)"])
    notebook.run(0)
    notebook.output(0).get_by_role("button", name="Press me").click()
    notebook.run(1)
    assert notebook.text(1) == "1"


def test_what_leaves_this_machine_is_stopped_and_told(desk: Desk) -> None:
    desk.page.evaluate(ELSEWHERE)
    said = "\n".join(desk.watch.take())
    assert "asked another machine: http://192.0.2.1/fetched" in said
    assert "asked another machine: http://elsewhere.invalid/image.png" in said
    assert "asked another machine: ws://192.0.2.1/socket" in said
    assert "ERR_PROXY_CONNECTION_FAILED" in said, "it was not the dead proxy"


def test_complaints_of_the_page_are_told_unless_expected(desk: Desk) -> None:
    desk.page.evaluate("() => { console.error('one'); console.error('two'); }")
    desk.page.evaluate("() => void setTimeout(() => { throw new Error('three'); })")
    desk.page.evaluate("() => alert('four')")
    desk.page.wait_for_function("() => true")
    desk.watch.expect("one")
    said = "\n".join(desk.watch.take())
    assert "one" not in said
    assert "console: two" in said
    assert "error: three" in said
    assert "dialog: four" in said


def test_the_kernel_can_be_interrupted_restarted_and_killed(desk: Desk) -> None:
    endless = "print('begun', flush=True)\nwhile True: pass"
    notebook = desk.open([endless, "import os; os.getpid()"], kernel=OWN_KERNEL)
    notebook.start(0)
    notebook.output(0).get_by_text("begun").wait_for()
    assert notebook.is_running(0)
    notebook.interrupt()
    notebook.wait(0)
    assert "KeyboardInterrupt" in notebook.text(0)
    notebook.run(1)
    first = int(notebook.text(1))
    notebook.restart()
    notebook.run(1)
    second = int(notebook.text(1))
    assert second != first
    os.kill(second, signal.SIGKILL)
    notebook.dismiss_death_notice()
    notebook.run(1)
    assert int(notebook.text(1)) not in (first, second)


def test_the_log_and_the_saved_state_show_what_was_sent_as_text(desk: Desk) -> None:
    notebook = desk.open([TWO_WAYS, "len(arrived)"], kernel=DEBUG_KERNEL)
    notebook.run(0)
    notebook.output(0).get_by_role("button", name="Send both").click()
    notebook.run(1)
    assert notebook.text(1) == "1"
    log = desk.server.log_text().encode()
    assert b"content-4711" in log, "the log of messages is not written"
    assert not [form for form in forms("buffer-4711") if form in log]
    state = notebook.save_with_widgets()["metadata"]["widgets"]
    assert "state-4711" in str(state)


def test_axe_finds_what_nobody_can_read(desk: Desk) -> None:
    bad = "<p style='color: #eee; background: #fff'>pale</p>"
    notebook = desk.open([f"from IPython.display import HTML\nHTML({bad!r})"])
    notebook.run(0)
    found = desk.violations(notebook.output(0))
    assert len(found) == 1
    assert "color-contrast (serious)" in found[0]
    desk.pictures(notebook.output(0), "self-test")
