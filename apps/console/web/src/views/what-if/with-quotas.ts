import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';

/** Limits to try: of a queue, quantities by resource type in the notation of configurations, such as `120G`. */
export type Quotas = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * A queues.yaml with other limits, as it is written otherwise, comments too.
 *
 * @returns undefined where the text has no entry for one of the queues: another format, or a queue that a template makes.
 */
export function withQuotas(text: string, partition: string, quotas: Quotas): string | undefined {
  const document = parseDocument(text);
  if (document.errors.length > 0) return undefined;
  const root = named(document.get('partitions'), partition);
  if (!root) return undefined;
  for (const [queue, max] of Object.entries(quotas)) {
    const entry = queue
      .split('.')
      .reduce<YAMLMap | undefined>((above, name) => named(above?.get('queues'), name), root);
    if (!entry) return undefined;
    for (const [type, quantity] of Object.entries(max))
      setIn(document, entry, ['resources', 'max', type], quantity);
  }
  return document.toString({ lineWidth: 0 });
}

/** The map of a list with this name. Names of queues and partitions are stored in lower case. */
function named(list: unknown, name: string): YAMLMap | undefined {
  if (!isSeq(list)) return undefined;
  return list.items.find(
    (item): item is YAMLMap => isMap(item) && String(item.get('name')).toLowerCase() === name.toLowerCase(),
  );
}

function setIn(document: Document, entry: YAMLMap, [key, ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    entry.set(key, /^\d+$/.test(value) ? Number(value) : value);
    return;
  }
  const known = entry.get(key);
  const child = isMap(known) ? known : (document.createNode({}) as YAMLMap);
  if (child !== known) entry.set(key, child);
  setIn(document, child, rest, value);
}
