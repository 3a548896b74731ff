import type { Place } from '#contracts/api';
import { at, describe, isNull, type Mapping, quoted } from '../field.js';
import type { Problems } from '../problems.js';
import type { ConfigurationResult } from '../result.js';
import { type FlatEntry, flattened, policyGroupKey, queuesKey, unpacked } from './flattened.js';
import { type Holder, holdersIn, type PlacedValue } from './holders.js';

/** The text of a configuration in a ConfigMap, with the place of its value. */
export interface InnerText extends Place {
  text: string;
  /** The key that has it, such as `queues.yaml.gz`. */
  key: string;
  isUnpacked: boolean;
}

/**
 * The text that YuniKorn would read from a ConfigMap, from those of a List, or from its data alone: under `<service.policyGroup>.yaml`,
 * otherwise `queues.yaml`. Undefined, with a problem, if there is none. docs/reference/configuration.md, "A ConfigMap"
 */
export function configurationIn(field: Mapping, problems: Problems): InnerText | undefined {
  const holders = holdersIn(field, problems);
  if (holders === undefined) return undefined;
  const entries = flattened(holders);
  const group = entries.get(policyGroupKey);
  const policyGroup = group && textOf(group, problems)?.text;
  if (group !== undefined && policyGroup === undefined) return undefined;
  const key = queuesKey(policyGroup);
  const entry = entries.get(key);
  if (entry === undefined || isNull(entry.value.field)) {
    reportMissing(key, entries, holders.at(-1)!, policyGroup, problems);
    return undefined;
  }
  return textOf(entry, problems);
}

function textOf(
  { key, value: { field, path }, form }: FlatEntry<PlacedValue>,
  problems: Problems,
): InnerText | undefined {
  if (field.kind !== 'scalar' || (field.type !== 'text' && form !== 'plain')) {
    problems.error(path, `the text of a configuration is expected here, not ${describe(field)}`, field);
    return undefined;
  }
  const { line, column, text, type } = field;
  const place = { ...(line === undefined ? {} : { line, column }) };
  if (form === 'plain') {
    if (type === 'text') return { ...place, text, key, isUnpacked: false };
    problems.error(path, `the text of a configuration is expected here, not ${describe(field)}`, field);
    return undefined;
  }
  if (form === 'unreadable') {
    const message = `YuniKorn unpacks ${quoted('.gz')} in binaryData alone, and takes this as an empty text; write ${key.replace(/\.[^.]*$/, '.gz')}`;
    problems.error(path, message, field);
    return undefined;
  }
  const found = unpacked(text);
  if ('text' in found) return { ...place, text: found.text, key, isUnpacked: true };
  problems.error(path, found.fault, field);
  return undefined;
}

function reportMissing(
  key: string,
  entries: ReadonlyMap<string, FlatEntry<PlacedValue>>,
  { dataPath, field }: Holder,
  policyGroup: string | undefined,
  problems: Problems,
): void {
  const keys = [...entries.values()].slice(0, 10).map((entry) => quoted(entry.key));
  const has = keys.length > 0 ? `it has ${keys.join(', ')}` : 'it has no data';
  if (entries.has(`${key}.gz`) && dataPath.endsWith('data')) {
    const message = `YuniKorn unpacks ${key}.gz in binaryData alone; write it there`;
    problems.error(at(dataPath, `${key}.gz`), message, entries.get(`${key}.gz`)!.value.field);
    return;
  }
  const other = [...entries.values()].find((entry) => entry.key === key && entry.form === 'unreadable');
  if (other !== undefined) {
    const message = `YuniKorn reads ${key} in data, and in binaryData compressed ones alone; write it under data, or as ${key}.gz`;
    problems.error(at(dataPath.replace(/data$/, 'binaryData'), key), message, other.value.field);
    return;
  }
  const because = policyGroup === undefined ? '' : `, which ${policyGroupKey} ${quoted(policyGroup)} names`;
  const message = `the ConfigMap has no key ${key}${because}; ${has}`;
  problems.error(at(dataPath, key), message, entries.get(key)?.value.field ?? field);
}

/**
 * The problems of the text in a ConfigMap, with their places in `source`, the whole text. A text in quotes has the place of its beginning,
 * and the message has the line in it; so has one of a JSON value, which has no places, and one that was unpacked.
 */
export function withPlacesIn(
  result: ConfigurationResult,
  inner: InnerText,
  source: string | undefined,
): ConfigurationResult {
  const isWritten = source !== undefined && !inner.isUnpacked;
  const lines = { inner: inner.text.split('\n'), source: isWritten ? source.split(/\r?\n/) : [] };
  const moved = <P extends Place & { message: string }>(problem: P): P => {
    const { line, column, ...rest } = problem;
    if (line === undefined || column === undefined) return problem;
    const outer = inner.line === undefined ? undefined : lines.source[inner.line - 1 + line];
    const indent = outer === undefined ? -1 : outer.length - lines.inner[line - 1]!.length;
    // A block (`|`) has its lines as they are, each after the same blanks.
    if (indent >= 0 && outer === ' '.repeat(indent) + lines.inner[line - 1])
      return { ...problem, line: inner.line! + line, column: column + indent };
    return {
      ...(rest as P),
      ...(inner.line === undefined ? {} : { line: inner.line, column: inner.column }),
      message: `${problem.message} (line ${line} of ${inner.key}${inner.isUnpacked ? ', unpacked' : ''})`,
    };
  };
  return { ...result, errors: result.errors.map(moved), warnings: result.warnings.map(moved) };
}

/** A ConfigMap as the API server gives it. */
export interface ConfigMapContent {
  data?: Readonly<Record<string, string>>;
  /** Values in base64. */
  binaryData?: Readonly<Record<string, string>>;
}

/**
 * The configuration of queues that YuniKorn reads from a ConfigMap, and its key there, by the same rules as `configurationIn`. Undefined if
 * there is none, or none that can be read.
 */
export function queuesTextOf({
  data = {},
  binaryData = {},
}: ConfigMapContent): { key: string; text: string } | undefined {
  const entries = flattened<string>([{ data: Object.entries(data), binaryData: Object.entries(binaryData) }]);
  const textUnder = (name: string) => {
    const { key, value, form } = entries.get(name) ?? {};
    if (key === undefined || value === undefined || form === 'unreadable') return undefined;
    if (form === 'plain') return { key, text: value };
    const read = unpacked(value);
    return 'text' in read ? { key, text: read.text } : undefined;
  };
  if (!entries.has(policyGroupKey)) return textUnder(queuesKey());
  const group = textUnder(policyGroupKey);
  return group && textUnder(queuesKey(group.text));
}
