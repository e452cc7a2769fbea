/**
 * The JupyterLab extension of sparknb.
 */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import {
  IEditorExtensionRegistry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import { INotebookTracker } from '@jupyterlab/notebook';

import { addCommands } from './commands';
import { highlighting } from './highlighting';
import { replaceCells } from './replacing';

const commands: JupyterFrontEndPlugin<void> = {
  id: 'sparknb:commands',
  description: 'Commands that insert ready cells into the notebook.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null
  ) => addCommands(app, notebooks, palette)
};

const highlights: JupyterFrontEndPlugin<void> = {
  id: 'sparknb:highlighting',
  description: 'Highlighting of the cells that define and test tools.',
  autoStart: true,
  requires: [IEditorExtensionRegistry, IEditorLanguageRegistry],
  activate: (
    _: JupyterFrontEnd,
    extensions: IEditorExtensionRegistry,
    languages: IEditorLanguageRegistry
  ) => {
    extensions.addExtension(highlighting(languages));
  }
};

const replacing: JupyterFrontEndPlugin<void> = {
  id: 'sparknb:replacing',
  description: 'Puts the cell that a widget of sparknb shows in the place of its own.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, notebooks: INotebookTracker) => replaceCells(notebooks)
};

export default [commands, highlights, replacing];
