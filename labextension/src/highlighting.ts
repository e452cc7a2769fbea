/**
 * Highlights the cells of our magics by the language of their body, while one types.
 */
import { Language, language } from '@codemirror/language';
import {
  type EditorState,
  type Extension,
  Prec,
  StateEffect,
  StateField,
  type Text
} from '@codemirror/state';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import {
  EditorExtensionRegistry,
  type IEditorExtensionFactory,
  type IEditorLanguageRegistry
} from '@jupyterlab/codemirror';

import { type BodyLanguage, readHead } from './head';
import { cellLanguage, plainLanguage } from './parser';

function bodyOf(text: Text): BodyLanguage | null {
  const head = readHead(characters => text.sliceString(0, characters));
  return head?.language ?? null;
}

/** The languages of our cells, each made when the first cell needs it. */
class CellLanguages {
  constructor(private readonly _registry: IEditorLanguageRegistry) {}

  /** Gives a language that is there already. */
  get(body: BodyLanguage | null): Language | null {
    return (body && this._ready.get(body)) ?? null;
  }

  /** Loads a language; without one that JupyterLab knows, cells stay as they are. */
  prepare(body: BodyLanguage): Promise<void> {
    const load = this._loads.get(body) ?? this._load(body);
    this._loads.set(body, load);
    return load;
  }

  private async _load(body: BodyLanguage): Promise<void> {
    const known = this._registry.findByName(body);
    const found = known && (await this._registry.getLanguage(known));
    if (found?.support) {
      this._ready.set(body, cellLanguage(found.support.language));
    }
  }

  private readonly _ready = new Map<BodyLanguage, Language>();
  private readonly _loads = new Map<BodyLanguage, Promise<void>>();
}

const languageArrived = StateEffect.define<null>();

/** Makes an editor follow the magic line of its cell. */
function following(languages: CellLanguages): Extension {
  const body = StateField.define<BodyLanguage | null>({
    create: state => bodyOf(state.doc),
    update: (value, change) => (change.docChanged ? bodyOf(change.newDoc) : value)
  });
  const ours = StateField.define<Language | null>({
    create: state => languages.get(state.field(body)),
    update: (_, change) => languages.get(change.state.field(body))
  });
  const preparing = ViewPlugin.define((view: EditorView) => {
    const prepare = (state: EditorState): void => {
      const wanted = state.field(body);
      if (wanted && !languages.get(wanted)) {
        languages.prepare(wanted).then(
          () => view.dispatch({ effects: languageArrived.of(null) }),
          reason => console.warn(`sparknb: no highlighting for ${wanted}.`, reason)
        );
      }
    };
    prepare(view.state);
    return {
      update: (update: ViewUpdate) => {
        if (update.docChanged) {
          prepare(update.state);
        }
      }
    };
  });
  return [
    body,
    ours,
    preparing,
    // Ours before the one of the kernel. There must be one at any time, and JupyterLab
    // adds the kernel's only once it has loaded it.
    Prec.highest(
      language.computeN([ours], state => {
        const found = state.field(ours);
        return found ? [found] : [];
      })
    ),
    Prec.lowest(language.of(plainLanguage))
  ];
}

function isCodeCell(model: CodeEditor.IModel): boolean {
  return 'type' in model && model.type === 'code';
}

/** Gives the extension for all editors; it does something in those of code cells. */
export function highlighting(
  registry: IEditorLanguageRegistry
): IEditorExtensionFactory {
  const languages = new CellLanguages(registry);
  return {
    name: 'sparknb:highlighting',
    factory: ({ model }) =>
      isCodeCell(model)
        ? EditorExtensionRegistry.createImmutableExtension(following(languages))
        : null
  };
}
