/**
 * What the first line of a cell says about the lines below it.
 */

/** What the body of one of our cells is written in. */
export type BodyLanguage = 'python' | 'shell' | 'typescript' | 'yaml';

/** The kinds of word on a magic line. */
export type WordKind = 'magic' | 'name' | 'option' | 'value';

/** A word of the magic line; its place is counted from the start of the line. */
export interface Word {
  readonly kind: WordKind;
  readonly text: string;
  readonly from: number;
}

/** The magic line of one of our cells. */
export interface Head {
  readonly language: BodyLanguage;
  readonly words: readonly Word[];
  /** Where in the cell the line starts, and where it ends, before its line break. */
  readonly from: number;
  readonly to: number;
}

/** Gives the first characters of a cell: as many as are asked for, or all there are. */
export type Start = (characters: number) => string;

// The kernel skips the blank lines above a magic, and the spaces before it.
const LINE = /^(?:[^\S\n]*\n)*[^\S\n]*(%%spark_(?:tool|test|curl)(?![^\s])[^\n]*)/;
// Words are parted by spaces outside of quotes.
const WORD = /(?:'[^']*'?|"[^"]*"?|[^\s'"])+/g;
const FIRST_CHARACTERS = 1024;

/**
 * Reads the magic line of a cell; null where it is none of ours.
 *
 * Only the start of the cell is looked at, so its size makes no difference. More is
 * read only where the line of one of our magics goes on.
 */
export function readHead(start: Start): Head | null {
  for (let asked = FIRST_CHARACTERS; ; asked *= 4) {
    const text = start(asked);
    const found = LINE.exec(text);
    if (!found) {
      return null;
    }
    if (found[0].length < asked || text.length < asked) {
      const line = found[1] ?? '';
      const words = wordsOf(line);
      const to = found[0].length;
      return { language: languageOf(words), words, from: to - line.length, to };
    }
  }
}

function wordsOf(line: string): Word[] {
  return Array.from(line.matchAll(WORD), (match, index) => ({
    kind: kindOf(match[0], index),
    text: match[0],
    from: match.index
  }));
}

function kindOf(word: string, index: number): WordKind {
  if (index === 0) {
    return 'magic';
  }
  if (word.startsWith('-')) {
    return 'option';
  }
  return index === 1 ? 'name' : 'value';
}

function languageOf(words: readonly Word[]): BodyLanguage {
  if (words[0]?.text === '%%spark_curl') {
    return 'shell';
  }
  const line = words.map(word => word.text).join(' ');
  const type = /\s--type[\s=](['"]?)(python|typescript)\1(?:\s|$)/.exec(line);
  return (type?.[2] as BodyLanguage | undefined) ?? 'yaml';
}
