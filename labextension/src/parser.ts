/**
 * Parses a cell of ours: the magic line by itself, the rest with the parser of its
 * language.
 */
import { defineLanguageFacet, Language, languageDataProp } from '@codemirror/language';
import {
  type Input,
  NodeSet,
  NodeType,
  Parser,
  type PartialParse,
  Tree,
  type TreeFragment
} from '@lezer/common';
import { styleTags, tags } from '@lezer/highlight';

import { type Head, readHead, type WordKind } from './head';

const wordTypes = new NodeSet([
  NodeType.define({ id: 0, name: 'SparkMagicLine' }),
  NodeType.define({ id: 1, name: 'SparkMagic' }),
  NodeType.define({ id: 2, name: 'SparkName' }),
  NodeType.define({ id: 3, name: 'SparkOption' }),
  NodeType.define({ id: 4, name: 'SparkValue' })
]).extend(
  styleTags({
    SparkMagic: tags.keyword,
    SparkName: tags.definition(tags.name),
    SparkOption: tags.attributeName,
    SparkValue: tags.string
  })
);
const WORD_IDS: Record<WordKind, number> = { magic: 1, name: 2, option: 3, value: 4 };

function typeOf(id: number): NodeType {
  return wordTypes.types[id] ?? NodeType.none;
}

function lineTree(head: Head): Tree {
  const words = head.words.map(
    word => new Tree(typeOf(WORD_IDS[word.kind]), [], [], word.text.length)
  );
  const places = head.words.map(word => word.from);
  return new Tree(typeOf(0), words, places, head.to - head.from);
}

/** Gives the type of a whole cell, which knows what the language knows: its comments. */
function cellType(facts: Language['data']): NodeType {
  return NodeType.define({
    id: 0,
    name: 'SparkCell',
    top: true,
    props: [[languageDataProp, facts]]
  });
}

/** The parse of one cell: what the body's parse says, moved below the magic line. */
class CellParse implements PartialParse {
  constructor(
    private readonly _type: NodeType,
    private readonly _head: Head,
    private readonly _bodyFrom: number,
    private readonly _body: PartialParse | null
  ) {}

  get parsedPos(): number {
    return this._body?.parsedPos ?? this._bodyFrom;
  }

  get stoppedAt(): number | null {
    return this._body?.stoppedAt ?? null;
  }

  stopAt(position: number): void {
    this._body?.stopAt(Math.max(position, this._bodyFrom));
  }

  advance(): Tree | null {
    const body = this._body ? this._body.advance() : Tree.empty;
    return (
      body &&
      new Tree(
        this._type,
        [lineTree(this._head), body],
        [this._head.from, this._bodyFrom],
        this._bodyFrom + body.length
      )
    );
  }
}

/** Parses cells whose body is read by another parser. */
class CellParser extends Parser {
  constructor(
    private readonly _type: NodeType,
    private readonly _body: Parser
  ) {
    super();
  }

  createParse(
    input: Input,
    fragments: readonly TreeFragment[],
    ranges: readonly { from: number; to: number }[]
  ): PartialParse {
    const head = readHead(characters =>
      input.read(0, Math.min(characters, input.length))
    );
    if (!head) {
      return this._body.startParse(input, fragments, ranges);
    }
    // Positions stay those of the cell, so earlier trees of the body can be used again.
    const from = Math.min(head.to + 1, input.length);
    const rest = from < input.length ? [{ from, to: input.length }] : null;
    const body = rest && this._body.startParse(input, fragments, rest);
    return new CellParse(this._type, head, from, body);
  }
}

/** Gives the language of cells with a magic line above a body in this language. */
export function cellLanguage(body: Language): Language {
  const parser = new CellParser(cellType(body.data), body.parser);
  return new Language(body.data, parser, [], body.name);
}

const noFacts = defineLanguageFacet();
const plainType = cellType(noFacts);

class PlainParser extends Parser {
  createParse(input: Input): PartialParse {
    return {
      parsedPos: input.length,
      stoppedAt: null,
      stopAt: () => undefined,
      advance: () => new Tree(plainType, [], [], input.length)
    };
  }
}

/** Text without any structure. */
export const plainLanguage = new Language(noFacts, new PlainParser());
