import { at, type Entry, type Field, type Mapping, quoted } from '../field.js';
import type { Problems } from '../problems.js';
import { type ConfigMapEntries, configMapNames, flattened, policyGroupKey, queuesKey } from './flattened.js';

/** A value of a ConfigMap with its path in the whole text. */
export interface PlacedValue {
  field: Field;
  path: string;
}

/** A ConfigMap in a text: all of it, an item of a list, or its data alone. */
export interface Holder extends ConfigMapEntries<PlacedValue> {
  /** Of the ConfigMap; empty for the whole text. */
  path: string;
  /** What a problem without an entry is about. */
  field: Field;
  /** Where an entry is missing. */
  dataPath: string;
}

const listKinds = ['List', 'ConfigMapList'];
/** In values of the chart of YuniKorn: the data of the ConfigMap yunikorn-defaults. */
const chartKey = 'yunikornDefaults';

/**
 * Whether a field is no configuration but holds one as a text: a manifest of Kubernetes (an object with a kind), the ConfigMap without its
 * kind, its data alone, or values of the chart of YuniKorn, also those of a chart around it.
 */
export function holdsText(field: Field | undefined): field is Mapping {
  if (field?.kind !== 'mapping') return false;
  if (isManifest(field)) return true;
  if (field.entries.has('partitions')) return false;
  const maps = ['data', 'binaryData'].map((key) => mappingAt(field, key));
  return [field, ...maps].some(isData) || chartValuesIn(field).length > 0;
}

/** Values of a chart are in others at most this many levels down: those of an umbrella chart, an application or a release. */
const mostLevels = 8;

/** The data of `yunikornDefaults` in values of YuniKorn's chart, or of a chart that contains it under a name of its own. */
function chartValuesIn(field: Field, path = '', depth = 0): { values: Mapping; path: string }[] {
  if (depth > mostLevels || field.kind === 'scalar') return [];
  if (field.kind === 'list')
    return field.items.flatMap((item, index) => chartValuesIn(item, `${path}[${index}]`, depth + 1));
  return [...field.entries].flatMap(([key, { value }]) => {
    const inside = at(path, key);
    if (key === chartKey && value.kind === 'mapping' && isData(value))
      return [{ values: value, path: inside }];
    return chartValuesIn(value, inside, depth + 1);
  });
}

const isManifest = (field: Mapping): boolean =>
  kindOf(field) !== undefined && field.entries.has('apiVersion');

const isData = (field: Mapping | undefined): boolean =>
  [policyGroupKey, queuesKey(), `${queuesKey()}.gz`].some((key) => field?.entries.has(key));

/** The ConfigMaps whose entries YuniKorn would merge, in its order; undefined, with a problem, if there are none. */
export function holdersIn(field: Mapping, problems: Problems): Holder[] | undefined {
  const kind = isManifest(field) ? kindOf(field)! : undefined;
  if (kind === 'ConfigMap') return [configMap(field, '')];
  if (kind !== undefined && listKinds.includes(kind)) return holdersOfList(field, problems);
  const [values, other] = chartValuesIn(field);
  if (other !== undefined) {
    const message = `${values!.path} and ${other.path} both have a configuration; give the values of one chart`;
    problems.error(other.path, message, other.values);
    return undefined;
  }
  if (values !== undefined) return [dataAlone(values.values, values.path)];
  if (kind === undefined) return [withoutKind(field)];
  problems.error(
    'kind',
    `a ConfigMap, or a List with one, is expected here, not ${quoted(kind)}`,
    fieldAt(field, 'kind')!,
  );
  return undefined;
}

function withoutKind(field: Mapping): Holder {
  if (mappingAt(field, 'data') ?? mappingAt(field, 'binaryData')) return configMap(field, '');
  return dataAlone(field, '');
}

function configMap(field: Mapping, path: string): Holder {
  const dataPath = at(path, 'data');
  return {
    path,
    dataPath,
    field: mappingAt(field, 'data') ?? field,
    data: placed(mappingAt(field, 'data')?.entries, dataPath),
    binaryData: placed(mappingAt(field, 'binaryData')?.entries, at(path, 'binaryData')),
  };
}

/** Without the two names above, compressed entries are known by their ending. */
function dataAlone(field: Mapping, path: string): Holder {
  const all = placed(field.entries, path);
  const isPacked = ([key]: readonly [string, unknown]) => /\.gz$/i.test(key);
  return {
    path,
    field,
    dataPath: path,
    data: all.filter((entry) => !isPacked(entry)),
    binaryData: all.filter(isPacked),
  };
}

const placed = (
  entries: ReadonlyMap<string, Entry> | undefined,
  path: string,
): (readonly [string, PlacedValue])[] =>
  [...(entries ?? [])].map(([key, { value }]) => [key, { field: value, path: at(path, key) }]);

/**
 * YuniKorn reads two ConfigMaps, by their names. Without one of these, a list has one ConfigMap with a configuration, whatever its name: that
 * of an export, or one that was renamed.
 */
function holdersOfList(list: Mapping, problems: Problems): Holder[] | undefined {
  const items = fieldAt(list, 'items');
  const maps = (items?.kind === 'list' ? items.items : []).flatMap((item, index) =>
    item.kind === 'mapping' && kindOf(item) === 'ConfigMap'
      ? [{ name: nameOf(item), holder: configMap(item, `items[${index}]`), field: item }]
      : [],
  );
  const named: Holder[] = [];
  for (const name of configMapNames) {
    const [only, other] = maps.filter((map) => map.name === name);
    if (other !== undefined) {
      const message = `${only!.holder.path} and ${other.holder.path} are both named ${name}; give those of one namespace`;
      problems.error(other.holder.path, message, other.field);
      return undefined;
    }
    if (only !== undefined) named.push(only.holder);
  }
  if (hasQueues(named)) return named;
  const [only, other] = maps.filter(({ holder }) => hasQueues([holder]));
  if (only === undefined) {
    problems.error(
      'items',
      `no ConfigMap in this list has the key ${queuesKey()}, or the one that its ${policyGroupKey} names`,
      items ?? list,
    );
    return undefined;
  }
  if (other !== undefined) {
    const message = `${only.holder.path} and ${other.holder.path} both have a configuration; give the one that is in force`;
    problems.error(other.holder.path, message, other.field);
    return undefined;
  }
  return [only.holder];
}

/** A policy group is another reason to read them: its key may be missing, which is an error. */
function hasQueues(holders: readonly Holder[]): boolean {
  const entries = flattened(holders);
  return entries.has(policyGroupKey) || entries.has(queuesKey());
}

export function fieldAt(field: Mapping, key: string): Field | undefined {
  return field.entries.get(key)?.value;
}

function mappingAt(field: Mapping, key: string): Mapping | undefined {
  const value = fieldAt(field, key);
  return value?.kind === 'mapping' ? value : undefined;
}

function textAt(field: Mapping | undefined, key: string): string | undefined {
  const value = field && fieldAt(field, key);
  return value?.kind === 'scalar' && value.type === 'text' ? value.text : undefined;
}

const kindOf = (field: Mapping): string | undefined => textAt(field, 'kind');
const nameOf = (field: Mapping): string | undefined => textAt(mappingAt(field, 'metadata'), 'name');
