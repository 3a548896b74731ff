import { isDeepStrictEqual } from 'node:util';
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Place } from '#contracts/api';
import { configurationIn } from './config-map/config-map.js';
import { holdsText } from './config-map/holders.js';
import { type Field, isNull } from './field.js';
import { plainValue } from './plain-value.js';
import { Problems } from './problems.js';
import type { ConfigurationResult } from './result.js';
import { textOf, YamlFields } from './yaml-fields.js';
import { composeYaml, fieldIn, readYaml } from './yaml-source.js';

/** The entry of a queue in a queues.yaml: the queue with everything below it. */
export interface QueueText {
  /** The entry, its first line at the left margin. */
  text: string;
  /** Its field in the whole configuration, such as `partitions[0].queues[0].queues[1]`. */
  path: string;
}

/** A whole configuration in which the entry of one queue was replaced. */
export interface ConfigurationWithQueue {
  text: string;
  /** The field of the entry in `text`. */
  path: string;
  /** The entry before, as `queueTextIn` gives it. */
  replaced: string;
  /** From places in `text` to places in the entry as it was sent; undefined: `text` has the entry in a single line. */
  lines?: { first: number; last: number; sentFirst: number; shift: number };
}

/** The problems of the entry as it was sent. */
export type RefusedQueueText = Pick<ConfigurationResult, 'errors'>;

interface Entry {
  /** The configuration that has the entry: of a ConfigMap, the text in it. */
  whole: string;
  path: string;
  node: YAMLMap;
  /** The columns before its first key. */
  margin: number;
  line: number;
  /** In a list in brackets, as all of JSON is. */
  isInline: boolean;
  read(problems: Problems): Field | undefined;
}

/**
 * The entry of a queue in a configuration that was read without errors. docs/how-to/change-and-go-back.md, "Change one queue"
 *
 * @param queue the path of the queue, in lower case.
 * @returns undefined if the queue has no entry of its own: it is unknown, or written as an alias.
 */
export function queueTextIn(configuration: string, partition: string, queue: string): QueueText | undefined {
  const entry = findEntry(configuration, partition, queue);
  if (entry === undefined) return undefined;
  return { text: atMargin(entry), path: entry.path };
}

/**
 * A configuration with another entry for one queue. Everything else in its text stays as it is written.
 *
 * @param sent the entry: a mapping as under `queues`, whose name is the last part of the path.
 * @param childrenOnly refuses an entry that differs in anything but the queues below.
 * @returns the whole configuration, which is still to be read; the problems of the entry; or undefined as for `queueTextIn`.
 */
export function withQueueText(
  configuration: string,
  {
    partition,
    queue,
    sent,
    childrenOnly = false,
  }: { partition: string; queue: string; sent: string; childrenOnly?: boolean },
): ConfigurationWithQueue | RefusedQueueText | undefined {
  const problems = new Problems();
  const composed = composeYaml(sent, problems);
  const field = composed && fieldIn(composed, problems);
  if (field !== undefined) checkName(field, queue.slice(queue.lastIndexOf('.') + 1), problems);
  if (problems.any || composed === undefined || field === undefined) return { errors: problems.errors() };
  const entry = findEntry(configuration, partition, queue);
  if (entry === undefined) return undefined;
  const { whole, path, node, margin, line, isInline } = entry;
  if (childrenOnly) checkOwnKept(entry.read(problems), field, queue, problems);
  if (problems.any) return { errors: problems.errors() };
  const replaced = atMargin(entry);
  const [begin, end] = node.range!;
  const around = {
    before: whole.slice(0, begin),
    replaced: whole.slice(begin, end),
    after: whole.slice(end),
  };
  if (isInline) {
    const text = `${around.before}${inline(field)}${around.after}`;
    return withOthersKept({ text, path, replaced }, whole, sent);
  }
  const { range } = composed.document.contents!;
  const from = composed.placeOf(range![0]);
  const shift = margin - (from.column! - 1);
  const lines = indented(sent.slice(range![0], range![1]).trimEnd(), shift);
  const merged = {
    text: `${around.before}${lines}${separator(around, margin)}${around.after}`,
    path,
    replaced,
    lines: { first: line, last: line + lines.split('\n').length - 1, sentFirst: from.line!, shift },
  };
  return withOthersKept(merged, whole, sent);
}

/** Other parts of the text may use an anchor of the entry: what they then stand for must not change. */
function withOthersKept(
  merged: ConfigurationWithQueue,
  before: string,
  sent: string,
): ConfigurationWithQueue | RefusedQueueText {
  if (!merged.replaced.includes('&') && !sent.includes('&')) return merged;
  const [old, now] = [before, merged.text].map((text) => contentBeside(text, merged.path));
  // A text that cannot be read has errors of its own.
  if (old === undefined || now === undefined || isDeepStrictEqual(old, now)) return merged;
  const message =
    'other parts of the configuration use an anchor of this entry, and would change with it; write their values out first, or send the whole configuration';
  return { errors: [{ path: '', message }] };
}

/** Everything but the entry, with aliases replaced by what they stand for. */
function contentBeside(text: string, path: string): unknown {
  const problems = new Problems();
  const field = readYaml(text, problems);
  if (field === undefined || problems.any) return undefined;
  return plainValue(without(field, path.match(/[^.[\]]+/g) ?? []), '', problems);
}

function without(field: Field, [step, ...rest]: readonly string[]): Field {
  if (field.kind === 'list') {
    const items = field.items.flatMap((item, index) => {
      if (String(index) !== step) return [item];
      return rest.length === 0 ? [] : [without(item, rest)];
    });
    return { ...field, items };
  }
  const entry = field.kind === 'mapping' && step !== undefined ? field.entries.get(step) : undefined;
  if (field.kind !== 'mapping' || entry === undefined) return field;
  return {
    ...field,
    entries: new Map([...field.entries, [step!, { ...entry, value: without(entry.value, rest) }]]),
  };
}

/** Whether a field is the entry or in it. */
export const isInEntry = (field: string, { path }: Pick<ConfigurationWithQueue, 'path'>): boolean =>
  field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);

/**
 * A problem of the whole configuration with its field and place in the entry as it was sent. A problem elsewhere keeps its field, and
 * loses its place: the sender has not the text.
 */
export function withPlaceInEntry<P extends Place & { path: string }>(
  problem: P,
  merged: ConfigurationWithQueue,
): P {
  const { line, column, ...rest } = problem;
  const { lines } = merged;
  if (isInEntry(problem.path, merged)) rest.path = problem.path.slice(merged.path.length).replace(/^\./, '');
  if (line === undefined || lines === undefined || line < lines.first || line > lines.last) return rest as P;
  return {
    ...(rest as P),
    line: line - lines.first + lines.sentFirst,
    ...(column === undefined ? {} : { column: Math.max(column - lines.shift, 1) }),
  };
}

function checkName(field: Field, name: string, problems: Problems): void {
  const written = field.kind === 'mapping' ? field.entries.get('name')?.value : undefined;
  if (field.kind !== 'mapping') {
    problems.error('', `one queue is expected here, as under queues: a mapping with name: ${name}`, field);
  } else if (written === undefined || isNull(written)) {
    problems.error('name', `the queue needs its name; write name: ${name}`, field);
  } else if (written.kind !== 'scalar' || written.text.toLowerCase() !== name) {
    problems.error('name', `this entry is for the queue ${name}; write name: ${name}`, written);
  }
}

/** The administrator gives a team its queue, with its quota; the team decides only about the queues below. */
function checkOwnKept(before: Field | undefined, sent: Field, queue: string, problems: Problems): void {
  if (before?.kind !== 'mapping' || sent.kind !== 'mapping') return;
  for (const key of new Set([...before.entries.keys(), ...sent.entries.keys()])) {
    if (key === 'queues' || key === 'name') continue;
    const [old, now] = [before, sent].map(({ entries }) => entries.get(key));
    const [was, is] = [old, now].map((entry) => entry && plainValue(entry.value, key, problems));
    if (isDeepStrictEqual(was ?? null, is ?? null)) continue;
    problems.error(
      key,
      `the administrator of the cluster decides about ${queue} itself; leave ${key} as it is in force, and change the queues below`,
      now?.key ?? sent,
    );
  }
}

function findEntry(configuration: string, partition: string, queue: string): Entry | undefined {
  const problems = new Problems();
  const outer = composeYaml(configuration, problems);
  const field = outer && fieldIn(outer, problems);
  const inner = holdsText(field) ? configurationIn(field, problems) : undefined;
  const whole = inner?.text ?? configuration;
  const composed = inner === undefined ? outer : composeYaml(inner.text, problems);
  if (composed === undefined) return undefined;
  const { document, placeOf } = composed;
  const partitions = listAt(document.contents, 'partitions')?.items ?? [];
  const index = partitions.findIndex((item) => nameOf(item, document, 'default') === partition);
  const found = index < 0 ? undefined : follow(partitions[index], `partitions[${index}]`, queue, document);
  if (!found?.node.range) return undefined;
  const { line, column } = placeOf(found.node.range[0]);
  return {
    whole,
    ...found,
    line: line!,
    margin: column! - 1,
    read: (faults) => new YamlFields(document, placeOf, faults).read(found.node),
  };
}

/** Below a partition: a single top queue named root is the root, otherwise the root has no entry. */
function follow(
  partition: Node | undefined,
  at: string,
  queue: string,
  document: Document,
): Pick<Entry, 'node' | 'path' | 'isInline'> | undefined {
  const [root, ...names] = queue.split('.');
  const top = listAt(partition, 'queues');
  const hasRoot = top?.items.length === 1 && nameOf(top.items[0], document) === root;
  let node: Node | undefined = partition;
  let path = at;
  let isInline = false;
  for (const name of hasRoot ? [root!, ...names] : names) {
    const list = listAt(node, 'queues');
    const index: number = list?.items.findIndex((item) => nameOf(item, document) === name) ?? -1;
    if (index < 0) return undefined;
    node = list!.items[index]!;
    path = `${path}.queues[${index}]`;
    isInline = list!.flow ?? false;
  }
  return node !== partition && isMap(node) ? { node, path, isInline } : undefined;
}

/** Empty for an alias: what it stands for is written elsewhere, for other queues too. */
function listAt(node: unknown, key: string): YAMLSeq<Node> | undefined {
  const list: unknown = isMap(node) ? node.get(key, true) : undefined;
  return isSeq<Node>(list) ? list : undefined;
}

function nameOf(node: unknown, document: Document, absent?: string): string | undefined {
  const name: unknown = isMap(node) ? node.get('name', true) : undefined;
  const scalar = isAlias(name) ? name.resolve(document) : name;
  const text = isScalar(scalar) && scalar.value !== null ? textOf(scalar).toLowerCase() : '';
  return text === '' ? absent : text;
}

/** A mapping in braces ends at its last brace, any other one with the line. A comment behind the brace gets a line of its own. */
function separator({ replaced, after }: { replaced: string; after: string }, margin: number): string {
  if (replaced.endsWith('\n')) return '\n';
  return /^[ \t]*(\r?\n|$)/.test(after) ? '' : `\n${' '.repeat(margin)}`;
}

function atMargin({ whole, node, margin }: Entry): string {
  const text = whole.slice(node.range![0], node.range![1]).trimEnd();
  return `${indented(text, -margin)}\n`;
}

/** Lines after the first one, moved to the right, or to the left where `shift` is negative. */
function indented(text: string, shift: number): string {
  const [first, ...others] = text.split('\n');
  const moved = others.map((line) => {
    if (shift >= 0) return line.trim() === '' ? line : ' '.repeat(shift) + line;
    return line.slice(Math.min(-shift, line.length - line.trimStart().length));
  });
  return [first, ...moved].join('\n');
}

/** JSON, but with scalars as they are written: `1e3` and 19-digit numbers keep their digits. */
function inline(field: Field): string {
  if (field.kind === 'list') return `[${field.items.map(inline).join(', ')}]`;
  if (field.kind === 'scalar') {
    if (field.type === 'text') return JSON.stringify(field.text);
    return field.text === '' ? 'null' : field.text;
  }
  const entries = [...field.entries].map(([key, { value }]) => `${JSON.stringify(key)}: ${inline(value)}`);
  return `{${entries.join(', ')}}`;
}
