import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { configurationLimits, whyNotStorable } from '#contracts';
import type { Entry, Field, Scalar } from './field.js';

/**
 * The fields of a YAML or JSON text that has only what nearly all configurations have: one document without anchors, aliases, tags, merge
 * keys and directives, whose plain and quoted scalars end on their line. It costs about a fifth of the reader with all of YAML.
 *
 * @param text within the limits of a configuration (`whyTooLarge`).
 * @returns undefined for every other text, and for one with a fault: the reader with all of YAML decides there. What is read here has the
 * same fields and places there (plain-yaml.spec.ts).
 */
export function readPlainYaml(text: string): Field | undefined {
  if (isUnusual.test(text)) return undefined;
  const events = eventsOf(text);
  const first = events?.[0];
  if (first?.type !== EVENT_ID.DOCUMENT || first.directives.length > 0 || first.explicitEnd) return undefined;
  const reader = new EventReader(text, events!);
  try {
    const field = reader.read();
    return field.kind === 'scalar' ? undefined : field;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** Characters that not every reader of YAML takes for the same: tabs, breaks other than those of lines, controls, byte order marks. */
export const isUnusual = /[^\n\r\u0020-\u007e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd]|\r(?!\n)/;

function eventsOf(text: string): Event[] | undefined {
  try {
    return parseEvents(text, { maxDepth: configurationLimits.depth });
  } catch {
    return undefined;
  }
}

interface Position {
  line: number;
  column: number;
}

class NotPlain extends Error {}

/** Longer keys without a `?` before them are a fault in YAML. */
const longestKey = 1_000;

class EventReader {
  #at = 1;
  #values = 0;
  /** The line of the last place, and the offsets at which it begins and ends: places come in the order of the text. */
  #line = 1;
  #begin = 0;
  #end: number;
  /** The offset behind the line on which the outermost flow collection has to end; 0 outside of one. */
  #flowEnd = 0;

  constructor(
    private readonly text: string,
    private readonly events: readonly Event[],
  ) {
    this.#end = this.#endOfLine(0);
  }

  read(): Field {
    const root = this.events[this.#at];
    // The lines of a flow collection in a block need an indentation that is checked elsewhere; at the top, every one is right.
    const isFlow = isCollection(root) && root.style === COLLECTION_STYLE.FLOW;
    if (isFlow) this.#flowEnd = Number.POSITIVE_INFINITY;
    else if (endsFlow.test(this.text)) throw new NotPlain();
    const field = this.#field(-1);
    // The document closes last: a second one is no plain text.
    if (this.events[this.#at]?.type !== EVENT_ID.POP || this.#at !== this.events.length - 1)
      throw new NotPlain();
    return field;
  }

  /** @param after the offset behind the key whose value this is, or -1. */
  #field(after: number): Field {
    const event = this.events[this.#at++]!;
    if (++this.#values > configurationLimits.values) throw new NotPlain();
    if (event.type === EVENT_ID.SCALAR) return this.#scalar(event, after);
    if (!isCollection(event) || event.anchorStart >= 0 || event.tagStart >= 0) throw new NotPlain();
    const isOutermost = event.style === COLLECTION_STYLE.FLOW && this.#flowEnd === 0;
    const place = this.#place(event.start);
    if (isOutermost) this.#flowEnd = this.#end;
    const field = event.type === EVENT_ID.MAPPING ? this.#mapping(event, place) : this.#list(event, place);
    if (isOutermost) this.#flowEnd = 0;
    return field;
  }

  #list({ style, start }: SequenceEvent, { line, column }: Position): Field {
    if (style === COLLECTION_STYLE.FLOW && this.text[start] !== '[') throw new NotPlain();
    const items: Field[] = [];
    while (this.events[this.#at]!.type !== EVENT_ID.POP) items.push(this.#field(-1));
    this.#at++;
    return { kind: 'list', items, line, column };
  }

  #mapping({ style, start }: MappingEvent, { line, column }: Position): Field {
    if (style === COLLECTION_STYLE.FLOW && this.text[start] !== '{') throw new NotPlain();
    const entries = new Map<string, Entry>();
    for (let event = this.events[this.#at]!; event.type !== EVENT_ID.POP; event = this.events[this.#at]!) {
      if (event.type !== EVENT_ID.SCALAR || event.valueEnd - event.valueStart > longestKey)
        throw new NotPlain();
      this.#at++;
      const { text, type, line, column } = this.#scalar(event, -1);
      if (type === 'null' || text === '<<' || entries.has(text)) throw new NotPlain();
      const colon = this.#colonAfter(event);
      entries.set(text, { key: { line, column }, value: this.#field(colon + 1) });
    }
    this.#at++;
    return { kind: 'mapping', entries, line, column };
  }

  /** The offset of the colon of a key: on its line, or the key is written with a `?`, or has no value. */
  #colonAfter({ style, valueEnd }: ScalarEvent): number {
    let colon = style === SCALAR_STYLE.PLAIN ? valueEnd : valueEnd + 1;
    while (this.text[colon] === ' ') colon++;
    if (this.text[colon] !== ':') throw new NotPlain();
    return colon;
  }

  #scalar(event: ScalarEvent, after: number): Scalar & Position {
    const { style, valueStart, valueEnd } = event;
    if (event.anchorStart >= 0 || event.tagStart >= 0) throw new NotPlain();
    if (valueStart < 0) {
      if (after < 0) throw new NotPlain();
      let from = after;
      while (this.text[from] === ' ') from++;
      return { kind: 'scalar', type: 'null', text: '', ...this.#place(from) };
    }
    if (style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK)
      return this.#block(event);
    const isPlain = style === SCALAR_STYLE.PLAIN;
    const { line, column } = this.#place(isPlain ? valueStart : valueStart - 1);
    if (valueEnd > this.#end || (isPlain && indicators.includes(this.text[valueStart]!)))
      throw new NotPlain();
    const text = event.fast ? this.text.slice(valueStart, valueEnd) : this.#decoded(event);
    return { kind: 'scalar', type: isPlain ? typeOfPlain(text) : 'text', text, line, column };
  }

  /** A block scalar begins with the `|` or `>` at the end of the line before its text. */
  #block(event: ScalarEvent): Scalar & Position {
    const end = this.text.lastIndexOf('\n', event.valueStart - 1);
    const begin = this.text.lastIndexOf('\n', end - 1) + 1;
    const header = /^[^|>]*([|>][0-9+-]*) *\r?$/.exec(this.text.slice(begin, end));
    if (header === null) throw new NotPlain();
    const place = this.#place(begin + header[0].lastIndexOf(header[1]!));
    return { kind: 'scalar', type: 'text', text: this.#decoded(event), ...place };
  }

  #decoded(event: ScalarEvent): string {
    const text = getScalarValue(this.text, event);
    if (whyNotStorable(text) !== undefined) throw new NotPlain();
    return text;
  }

  /** @param offset not before that of the call before. */
  #place(offset: number): Position {
    while (offset > this.#end) {
      this.#line++;
      this.#begin = this.#end + 1;
      this.#end = this.#endOfLine(this.#begin);
    }
    if (offset < this.#begin || (this.#flowEnd > 0 && offset > this.#flowEnd)) throw new NotPlain();
    return { line: this.#line, column: offset - this.#begin + 1 };
  }

  #endOfLine(from: number): number {
    const end = this.text.indexOf('\n', from);
    return end < 0 ? this.text.length : end;
  }
}

/** No plain scalar begins with one of these, whatever follows it, though some readers let it. */
const indicators = ',[]{}#&*!|>\'"%@`?:';

/** A line that begins with what ends a flow collection, or a part of it. */
const endsFlow = /^[ \r]*[\]},]/m;

const isCollection = (event: Event | undefined): event is MappingEvent | SequenceEvent =>
  event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE;

/** The type of a plain scalar in the core schema of YAML 1.2. */
export function typeOfPlain(text: string): Scalar['type'] {
  if (!mayBeNoText.test(text)) return 'text';
  if (/^(?:~|null|Null|NULL)$/.test(text)) return 'null';
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(text)) return 'boolean';
  return number.test(text) ? 'number' : 'text';
}

const mayBeNoText = /^[-+.0-9~nNtTfF]/;
const number =
  /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;
