/**
 * Replaces a cell by the one that a widget in its output offers, when a person asks.
 *
 * A widget cannot reach the notebook around it, so it sends an event up the page and
 * reads the answer from it.
 */
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

type Cell = NotebookPanel['content']['widgets'][number];

const REPLACE = 'sparknb:replace-cell';

interface Wish {
  /** What the cell is to say. */
  readonly text: string;
  /** What it has to begin with now: another cell stays as it is. */
  readonly magic: string;
  answer: '' | 'replaced' | 'changed';
}

function wishOf(event: Event): Wish | null {
  const wish: unknown = event instanceof CustomEvent ? event.detail : null;
  if (typeof wish !== 'object' || wish === null) {
    return null;
  }
  const { text, magic } = wish as Partial<Wish>;
  const isWhole = typeof text === 'string' && typeof magic === 'string';
  return isWhole ? (wish as Wish) : null;
}

/** The cell whose output a node stands in, in any open notebook. */
function cellAround(notebooks: INotebookTracker, node: Node): Cell | null {
  const panel = notebooks.find(each => each.node.contains(node));
  return panel?.content.widgets.find(cell => cell.node.contains(node)) ?? null;
}

/** Listens for widgets that ask for it, as long as the page lives. */
export function replaceCells(notebooks: INotebookTracker): void {
  document.addEventListener(REPLACE, event => {
    const wish = wishOf(event);
    const [node] = event.composedPath();
    const cell = wish && node instanceof Node ? cellAround(notebooks, node) : null;
    if (!wish || cell?.model.type !== 'code') {
      return; // nobody answers: the widget says what to do by hand
    }
    const shared = cell.model.sharedModel;
    const isSame = shared.getSource().trimStart().startsWith(wish.magic);
    if (isSame) {
      shared.setSource(wish.text);
    }
    wish.answer = isSame ? 'replaced' : 'changed';
  });
}
