/**
 * The commands of the palette: each inserts a ready cell below the active one.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { INotebookTracker, Notebook, NotebookPanel } from '@jupyterlab/notebook';

import cells from './cells.json';
import { readHead } from './head';

const CATEGORY = 'sparknb';
const TOOL = '{tool}';

type ReadyCell = (typeof cells)[number];

/** The tool that a cell is about: the last one defined above it, else a name to fill in. */
function toolAbove(notebook: Notebook): string {
  for (let index = notebook.activeCellIndex; index >= 0; index--) {
    const model = notebook.widgets[index]?.model;
    if (model?.type !== 'code') {
      continue;
    }
    const source = model.sharedModel.getSource();
    const words = readHead(characters => source.slice(0, characters))?.words;
    const name = words?.[1];
    if (name?.kind === 'name') {
      return name.text;
    }
  }
  return 'my_tool';
}

/** Inserts a code cell below the active one and starts editing it at `selected`. */
async function insert(
  notebook: Notebook,
  source: string,
  selected: string
): Promise<void> {
  const index = notebook.activeCellIndex + 1; // of a notebook without cells: 0
  notebook.model?.sharedModel.insertCell(index, {
    cell_type: 'code',
    source,
    metadata: { trusted: true }
  });
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  await notebook.scrollToItem(index).catch(() => undefined); // in view or not: go on
  const cell = notebook.widgets[index];
  await cell?.ready;
  const editor = cell?.editor;
  if (!cell || !editor || notebook.activeCell !== cell) {
    return; // closed, or left for another cell, meanwhile
  }
  const from = selected ? source.indexOf(selected) : source.length;
  editor.setSelection({
    start: editor.getPositionAt(from)!,
    end: editor.getPositionAt(from + selected.length)!
  });
  notebook.mode = 'edit';
  editor.focus();
}

function insertReady(panel: NotebookPanel, cell: ReadyCell): Promise<void> {
  const notebook = panel.content;
  const tool = toolAbove(notebook);
  const filled = (text: string): string => text.replaceAll(TOOL, tool);
  return insert(notebook, filled(cell.source.join('\n')), filled(cell.selected));
}

/** Adds one command for each ready cell, to the palette too where there is one. */
export function addCommands(
  app: JupyterFrontEnd,
  notebooks: INotebookTracker,
  palette: ICommandPalette | null
): void {
  const current = (): NotebookPanel | null => {
    const panel = notebooks.currentWidget;
    const isInFront = panel !== null && panel === app.shell.currentWidget;
    return isInFront && panel.content.model ? panel : null;
  };
  for (const cell of cells) {
    app.commands.addCommand(cell.command, {
      label: cell.label,
      caption: cell.caption,
      isEnabled: () => current() !== null,
      execute: async () => {
        const panel = current();
        if (panel) {
          await insertReady(panel, cell);
        }
      }
    });
    palette?.addItem({ command: cell.command, category: CATEGORY });
  }
  const changed = (): void => {
    for (const cell of cells) {
      app.commands.notifyCommandChanged(cell.command);
    }
  };
  notebooks.currentChanged.connect(changed);
  app.shell.currentChanged?.connect(changed);
}
