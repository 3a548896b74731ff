import type { Place } from '@curtail/contracts/api';
import { at, describe, type Field, isNull, type Mapping, quoted, type Scalar } from './field.js';
import type { Problems } from './problems.js';
import type { ConfigurationResult } from './result.js';

const configurationKey = 'queues.yaml';
const listKinds = ['List', 'ConfigMapList'];

/** A manifest of Kubernetes: an object with a kind, which no configuration has. */
export function isManifest(field: Field | undefined): field is Mapping {
  return kindOf(field) !== undefined && (field as Mapping).entries.has('apiVersion');
}

/**
 * The text under `data."queues.yaml"` of a ConfigMap, or of the only one in a List that has this key. Undefined, with a problem, if there
 * is none. docs/reference/configuration.md, "A ConfigMap"
 */
export function configurationIn(manifest: Mapping, problems: Problems): Scalar | undefined {
  const kind = kindOf(manifest)!;
  if (kind === 'ConfigMap') return dataOf(manifest, '', problems);
  if (!listKinds.includes(kind)) {
    problems.error(
      'kind',
      `a ConfigMap, or a List with one, is expected here, not ${quoted(kind)}`,
      fieldAt(manifest, 'kind')!,
    );
    return undefined;
  }
  const items = fieldAt(manifest, 'items');
  const found = (items?.kind === 'list' ? items.items : []).flatMap((item, index) =>
    kindOf(item) === 'ConfigMap' && dataEntry(item as Mapping) !== undefined
      ? [{ map: item as Mapping, path: `items[${index}]` }]
      : [],
  );
  const [only, other] = found;
  if (only === undefined) {
    problems.error('items', `no ConfigMap in this list has the key ${configurationKey}`, items ?? manifest);
    return undefined;
  }
  if (other !== undefined) {
    const message = `${only.path} and ${other.path} both have ${configurationKey}; give the one that is in force`;
    problems.error(other.path, message, other.map);
    return undefined;
  }
  return dataOf(only.map, only.path, problems);
}

function dataOf(map: Mapping, path: string, problems: Problems): Scalar | undefined {
  const keyPath = at(at(path, 'data'), configurationKey);
  const field = dataEntry(map);
  if (field === undefined || isNull(field)) {
    const data = fieldAt(map, 'data');
    const keys = data?.kind === 'mapping' ? [...data.entries.keys()].slice(0, 10) : [];
    const has = keys.length > 0 ? `it has ${keys.map(quoted).join(', ')}` : 'it has no data';
    problems.error(keyPath, `the ConfigMap has no key ${configurationKey}; ${has}`, field ?? data ?? map);
    return undefined;
  }
  if (field.kind === 'scalar' && field.type === 'text') return field;
  problems.error(keyPath, `the text of a configuration is expected here, not ${describe(field)}`, field);
  return undefined;
}

/**
 * The problems of the text in a ConfigMap, with their places in `source`, the whole text. A text in quotes has the place of its beginning,
 * and the message has the line in it; so has one of a JSON value, which has no places.
 */
export function withPlacesIn(
  result: ConfigurationResult,
  inner: Scalar,
  source: string | undefined,
): ConfigurationResult {
  const lines = { inner: inner.text.split('\n'), source: source?.split(/\r?\n/) ?? [] };
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
      message: `${problem.message} (line ${line} of ${configurationKey})`,
    };
  };
  return { ...result, errors: result.errors.map(moved), warnings: result.warnings.map(moved) };
}

function fieldAt(field: Mapping, key: string): Field | undefined {
  return field.entries.get(key)?.value;
}

function dataEntry(map: Mapping): Field | undefined {
  const data = fieldAt(map, 'data');
  return data?.kind === 'mapping' ? fieldAt(data, configurationKey) : undefined;
}

function kindOf(field: Field | undefined): string | undefined {
  const kind = field?.kind === 'mapping' ? fieldAt(field, 'kind') : undefined;
  return kind?.kind === 'scalar' && kind.type === 'text' ? kind.text : undefined;
}
