// Steps that only the application object of JupyterLab can take. Everything that a person
// clicks or types is clicked and typed by the tests.
window.sparkTest = (() => {
  const LONGEST = 90_000;
  const panels = new Map(); // path -> NotebookPanel
  const runs = new Map(); // "path#cell" -> "running" | "done" | "failed: …"

  async function within(promise, what) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`waited too long for ${what}`)), LONGEST);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function until(probe, what) {
    const end = performance.now() + LONGEST;
    while (!probe()) {
      if (performance.now() > end) throw new Error(`waited too long until ${what}`);
      await new Promise((next) => setTimeout(next, 10));
    }
  }

  function panelOf(path) {
    const panel = panels.get(path);
    if (!panel) throw new Error(`${path} is not open`);
    return panel;
  }

  function kernelOf(path) {
    return panelOf(path).sessionContext.session?.kernel ?? null;
  }

  async function started() {
    await until(() => window.jupyterapp, "the application is there");
    const app = window.jupyterapp;
    await within(app.restored, "the application's restored state");
  }

  // The idle indicator is not enough: it shows "idle" before the kernel has answered.
  async function connected(path) {
    await until(() => kernelOf(path)?.connectionStatus === "connected", "the kernel is connected");
    await within(kernelOf(path).info, "the kernel's first answer");
    await until(() => kernelOf(path)?.status === "idle", "the kernel is idle");
  }

  // `kernel` is {name} of a new one, or {id} of one that runs.
  async function open(path, kernel) {
    const app = window.jupyterapp;
    const choice = { path, factory: "Notebook", kernel };
    const panel = await within(app.commands.execute("docmanager:open", choice), "the notebook's panel");
    panels.set(path, panel);
    await within(panel.context.ready, "the notebook's content");
    await within(panel.sessionContext.ready, "the notebook's session");
    await connected(path);
    return { panel: panel.id, kernel: kernelOf(path).id };
  }

  async function show(path) {
    const app = window.jupyterapp;
    const panel = panelOf(path);
    app.shell.activateById(panel.id);
    await until(() => app.shell.currentWidget === panel, "the notebook is the current one");
  }

  async function act(path, command) {
    await show(path);
    await within(window.jupyterapp.commands.execute(command), command);
  }

  // Begins only: a cell may wait for a person.
  async function run(path, index) {
    await show(path);
    const key = `${path}#${index}`;
    panelOf(path).content.activeCellIndex = index;
    panelOf(path).content.deselectAll();
    runs.set(key, "running");
    window.jupyterapp.commands.execute("notebook:run-cell").then(
      () => runs.set(key, "done"),
      (reason) => runs.set(key, `failed: ${reason}`),
    );
  }

  async function select(path, index) {
    await act(path, "notebook:enter-command-mode");
    panelOf(path).content.activeCellIndex = index;
    panelOf(path).content.deselectAll();
    panelOf(path).content.activate();
  }

  function cell(path, index) {
    return panelOf(path).content.widgets[index];
  }

  // Gives whether the kernel was kept: only an idle one is, and without its widgets.
  async function close(path, keepsKernel) {
    const panel = panels.get(path);
    panels.delete(path);
    if (!panel) return false;
    const kernel = panel.sessionContext.session?.kernel;
    const isKept = keepsKernel && kernel?.status === "idle";
    if (isKept) {
      const code = "import ipywidgets; ipywidgets.Widget.close_all()";
      await within(kernel.requestExecute({ code, silent: true }).done, "widgets to close");
    } else {
      await within(panel.sessionContext.shutdown(), "the end of the kernel");
    }
    panel.context.model.dirty = false; // no question about unsaved changes
    panel.close();
    await until(() => panel.isDisposed, "the notebook is closed");
    return isKept;
  }

  return {
    started,
    open,
    connected,
    show,
    act,
    run,
    select,
    close,
    ran: (path, index) => runs.get(`${path}#${index}`),
    outputs: (path, index) => cell(path, index).model.toJSON().outputs,
    source: (path, index) => cell(path, index).model.sharedModel.getSource(),
    setSource: (path, index, text) => cell(path, index).model.sharedModel.setSource(text),
    kernelStatus: (path) => kernelOf(path)?.status ?? "none",
    theme: (name) =>
      within(window.jupyterapp.commands.execute("apputils:change-theme", { theme: name }), name),
  };
})();
