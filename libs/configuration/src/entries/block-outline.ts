import { endOfLine, readBlockYaml } from '../block-yaml.js';
import type { Field } from '../field.js';
import { isUnusual } from '../plain-yaml.js';
import { type EntryStyle, NotOutlined, type Outline } from './entry-style.js';

/**
 * YAML of which `readBlockYaml` can read each part: every line is whole in itself, so parts are whole lines, and their indentation says what
 * belongs to what. An entry, and a list, end behind their last line that is more than a comment.
 */
export const blockText: EntryStyle = {
  document(text, key) {
    const first = contentFrom(text, text.startsWith('---') ? lineEnd(text, 0) : 0);
    const at = indentationEnd(text, first);
    return outlineOf(text, { begin: first, at, column: at - first, outer: -1 }, key);
  },
  entry(text, begin, key) {
    const dash = indentationEnd(text, begin);
    const at = indentationEnd(text, dash + 1);
    return outlineOf(text, { begin, at, column: at - begin, outer: dash - begin }, key);
  },
  nextIn(text, { begin, end }) {
    const column = dashColumn(text, contentFrom(text, begin));
    if (column < keyColumn(text, begin) || !isLineBegin(text, end)) throw new NotOutlined();
    return (at) => {
      const next = Math.min(contentFrom(text, at), end);
      if (at > end || isUnusual.test(text.slice(at, next))) throw new NotOutlined();
      if (next < end && dashColumn(text, next) !== column) throw new NotOutlined();
      return next;
    };
  },
  isWhole(text, begin, end) {
    if (!isLineBegin(text, end)) return false;
    const next = contentFrom(text, end);
    return next === text.length || indentation(text, next) <= indentation(text, begin);
  },
  fieldOf(own, of) {
    const field = readBlockYaml(own);
    if (of === 'document') return field && withListOfPartition(field);
    return field?.kind === 'list' && isWithoutQueues(field.items[0]) ? field.items[0] : undefined;
  },
};

/** @param of the offset of its first line and of its first key, the column of its keys, and the one of the dash of its entry. */
function outlineOf(
  text: string,
  of: { begin: number; at: number; column: number; outer: number },
  key: string,
): Outline {
  const { column, outer } = of;
  let { begin, at } = of;
  let list: Outline['list'];
  for (;;) {
    let end = lineEnd(text, begin);
    if (at - begin === column && isKeyAlone(text, at, key)) {
      const listEnd = endOfList(text, end, column);
      if (listEnd > end) list = { begin: end, end: listEnd };
      end = listEnd;
    }
    begin = contentFrom(text, end);
    at = indentationEnd(text, begin);
    if (begin === text.length || at - begin <= outer) return { end, ...(list && { list }) };
  }
}

/** Behind the last line with content below a key at a column; the begin if there is none. */
function endOfList(text: string, begin: number, column: number): number {
  const beyond = lineBeyond(column);
  // With the break before the line.
  beyond.lastIndex = begin - 1;
  let end = Math.min((beyond.exec(text)?.index ?? text.length) + 1, text.length);
  while (end > begin) {
    const line = text.lastIndexOf('\n', end - 2) + 1;
    if (hasContent(text, line)) return end;
    end = line;
  }
  return begin;
}

/** Finds the next line that does not belong to the value of a key at a column. A list in it may stand at the margin of its key. */
function lineBeyond(column: number): RegExp {
  if (column > mostIndented) throw new NotOutlined();
  const less = column === 0 ? '' : ` {0,${column - 1}}[^ #\\r\\n]|`;
  linesBeyond[column] ??= new RegExp(`\\n(?:${less} {${column}}(?:[^ #\\r\\n-]|-(?! )))`, 'g');
  return linesBeyond[column];
}

const linesBeyond: RegExp[] = [];
const mostIndented = 1000;

/** A list of queues that the outline has not found is written in another style. */
function isWithoutQueues(entry: Field | undefined): boolean {
  const queues = entry?.kind === 'mapping' ? entry.entries.get('queues')?.value : undefined;
  return queues?.kind !== 'list' || queues.items.length === 0;
}

/** A partition has to have a list, and it is not in the text any more. The root that is added for it has its place, which no problem is about. */
function withListOfPartition(field: Field): Field {
  const partitions = field.kind === 'mapping' ? field.entries.get('partitions')?.value : undefined;
  const partition = partitions?.kind === 'list' ? partitions.items[0] : undefined;
  const queues = partition?.kind === 'mapping' ? partition.entries.get('queues') : undefined;
  if (queues?.value.kind === 'scalar' && queues.value.type === 'null')
    queues.value = { ...queues.value, kind: 'list', items: [] };
  return field;
}

/** The begin of the next line that is more than a comment, or the end of the text. */
function contentFrom(text: string, begin: number): number {
  let at = begin;
  while (at < text.length && !hasContent(text, at)) at = lineEnd(text, at);
  return at;
}

function hasContent(text: string, begin: number): boolean {
  const unit = text.charCodeAt(indentationEnd(text, begin));
  // NaN is behind the end of the text.
  return !(Number.isNaN(unit) || unit === hash || unit === lineFeed || unit === carriageReturn);
}

const isLineBegin = (text: string, at: number): boolean =>
  at === text.length || text.charCodeAt(at - 1) === lineFeed;

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function indentationEnd(text: string, begin: number): number {
  let at = begin;
  while (text.charCodeAt(at) === space) at++;
  return at;
}

const indentation = (text: string, begin: number): number => indentationEnd(text, begin) - begin;

/** -1 for a line without one. */
function dashColumn(text: string, begin: number): number {
  const at = indentationEnd(text, begin);
  return text.charCodeAt(at) === minus && text.charCodeAt(at + 1) === space ? at - begin : -1;
}

/** The column of the key above a list, which may stand behind a dash. */
function keyColumn(text: string, listBegin: number): number {
  const begin = text.lastIndexOf('\n', listBegin - 2) + 1;
  const dash = dashColumn(text, begin);
  return dash < 0 ? indentation(text, begin) : indentationEnd(text, begin + dash + 1) - begin;
}

function isKeyAlone(text: string, at: number, key: string): boolean {
  if (!text.startsWith(`${key}:`, at)) return false;
  endOfLine.lastIndex = at + key.length + 1;
  return endOfLine.test(text);
}

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const hash = 35;
const minus = 45;
