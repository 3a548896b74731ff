import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';
import { configurationLimits, whyNotStorable } from '#contracts';
import type { Place } from '#contracts/api';
import { at, type Entry, type Field, type Mapping } from './field.js';
import type { Problems } from './problems.js';

/** Turns the nodes of one YAML document into fields: unfolds aliases and merge keys, finds duplicate keys. */
export class YamlFields {
  #values = 0;
  #aliases = 0;
  #stopped = false;

  constructor(
    private readonly document: Document,
    private readonly placeAt: (offset: number) => Place,
    private readonly problems: Problems,
  ) {}

  /** Undefined if the document exceeds a limit, which a problem names. */
  read(root: Node): Field | undefined {
    const field = this.#field(root, '', 0);
    return this.#stopped ? undefined : field;
  }

  #field(node: unknown, path: string, depth: number): Field {
    const place = this.#place(node);
    if (!this.#within(path, depth, place)) return { kind: 'scalar', type: 'null', text: '', ...place };
    if (isAlias(node)) {
      const target = this.#resolve(node, path, place);
      return target === undefined
        ? { kind: 'scalar', type: 'null', text: '', ...place }
        : this.#field(target, path, depth + 1);
    }
    if (isMap(node)) return this.#mapping(node, path, depth, place);
    if (isSeq(node)) {
      const items = node.items.map((item, index) => this.#field(item, `${path}[${index}]`, depth + 1));
      return { kind: 'list', items, ...place };
    }
    const field = scalar(isScalar(node) ? node : undefined, place);
    this.#assertStorable(field.text, path, place);
    return field;
  }

  #mapping(node: YAMLMap, path: string, depth: number, place: Place): Mapping {
    const entries = new Map<string, Entry>();
    const merged: Mapping[] = [];
    for (const pair of node.items) {
      if (this.#stopped) break;
      const keyPlace = this.#place(pair.key);
      if (!isScalar(pair.key) || pair.key.value === null) {
        this.problems.error(path, 'a key must be a string: write a name before the colon', keyPlace);
        continue;
      }
      const key = textOf(pair.key);
      if (key === '<<' && pair.key.type === 'PLAIN') {
        merged.push(...this.#merged(pair.value, path, depth, keyPlace));
        continue;
      }
      this.#assertStorable(key, path, keyPlace);
      const value = this.#field(pair.value, at(path, key), depth + 1);
      const first = entries.get(key);
      if (first !== undefined) {
        first.isAmbiguous = true;
        this.problems.hasAmbiguousKeys = true;
        this.problems.error(
          at(path, key),
          'this key occurs twice in one mapping; keep one of them',
          keyPlace,
        );
      } else {
        // A key without a colon, as in `{a}`, has no node for its value.
        entries.set(key, { key: keyPlace, value: pair.value === null ? { ...value, ...keyPlace } : value });
      }
    }
    for (const source of merged) {
      for (const [key, entry] of source.entries) {
        if (!entries.has(key)) entries.set(key, entry);
      }
    }
    return { kind: 'mapping', entries, ...place };
  }

  #merged(node: unknown, path: string, depth: number, place: Place): Mapping[] {
    const field = this.#field(node, path, depth + 1);
    const sources = field.kind === 'list' ? field.items : [field];
    return sources.filter((source): source is Mapping => {
      if (source.kind !== 'mapping' && !this.#stopped) {
        this.problems.error(path, '`<<` merges a mapping, or a list of mappings', place);
      }
      return source.kind === 'mapping';
    });
  }

  /** A text with escapes may have what no database holds. */
  #assertStorable(text: string, path: string, place: Place): void {
    const why = whyNotStorable(text);
    if (why !== undefined) this.problems.error(path, why, place);
  }

  #resolve(alias: Node & { source: string }, path: string, place: Place): Node | undefined {
    if (++this.#aliases > configurationLimits.aliases) {
      this.#stop(path, `more than ${configurationLimits.aliases} uses of aliases; write values out`, place);
      return undefined;
    }
    const target = this.#anchors().get(alias.source);
    if (target === undefined) {
      this.problems.error(path, `there is no anchor &${alias.source} in this document`, place);
    }
    return target;
  }

  #named: Map<string, Node> | undefined;

  /** A redefined anchor applies from there on; such documents are refused rather than read wrongly. */
  #anchors(): Map<string, Node> {
    if (this.#named !== undefined) return this.#named;
    const named = new Map<string, Node>();
    const waiting: unknown[] = [this.document.contents];
    while (waiting.length > 0) {
      const node = waiting.pop();
      if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined) {
        if (named.has(node.anchor)) {
          this.problems.error(
            '',
            `the anchor &${node.anchor} is set twice; use two names`,
            this.#place(node),
          );
        }
        named.set(node.anchor, node);
      }
      if (isMap(node)) for (const pair of node.items) waiting.push(pair.key, pair.value);
      if (isSeq(node)) for (const item of node.items) waiting.push(item);
    }
    this.#named = named;
    return named;
  }

  #within(path: string, depth: number, place: Place): boolean {
    if (this.#stopped) return false;
    if (depth > configurationLimits.depth) {
      this.#stop(path, `more than ${configurationLimits.depth} levels of nesting; nest less`, place);
    } else if (++this.#values > configurationLimits.values) {
      this.#stop(path, `more than ${configurationLimits.values} values, aliases unfolded`, place);
    }
    return !this.#stopped;
  }

  #stop(path: string, message: string, place: Place): void {
    if (!this.#stopped) this.problems.error(path, message, place);
    this.#stopped = true;
  }

  #place(node: unknown): Place {
    const range = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.range : undefined;
    return range ? this.placeAt(range[0]) : {};
  }
}

function scalar(node: Scalar | undefined, place: Place): Extract<Field, { kind: 'scalar' }> {
  const value = node?.value ?? null;
  const type =
    value === null
      ? 'null'
      : typeof value === 'number' || typeof value === 'bigint'
        ? 'number'
        : typeof value === 'boolean'
          ? 'boolean'
          : 'text';
  return { kind: 'scalar', type, text: node === undefined ? '' : textOf(node), ...place };
}

/** As typed: the source of a plain word, the content of a quoted one. */
export function textOf(node: Scalar): string {
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}
