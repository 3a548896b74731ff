import { isDeepStrictEqual } from 'node:util';
import {
  configurationLimits,
  freezeProperty,
  ofPartition,
  ofQueue,
  type Subject,
  sharesFault,
} from '#contracts';
import { isHadoopText } from '../capacity-scheduler/hadoop-properties.js';
import { holdsText } from '../config-map/holders.js';
import type { Field } from '../field.js';
import { listedQueue } from '../listed.js';
import { otherAnswer } from '../other-answers.js';
import { Problems } from '../problems.js';
import type { ConfigurationOptions } from '../read-configuration.js';
import { isNamedRoot, readPartitions } from '../read-partitions.js';
import { mostConfiguredFreezes, QueueReader } from '../read-queue.js';
import type { ConfigurationQueue, ConfigurationResult } from '../result.js';
import {
  addBounds,
  type Bounds,
  checkQueue,
  checkRootIsOpen,
  checkSum,
  isCountFaulty,
  modeOf,
  type RuleMode,
} from '../rules.js';
import type { PartitionTree, QueueTree } from '../tree.js';
import { warnOfNoEffect, warnOfUnknownTypes, warnOfUnusualDelays } from '../warnings.js';
import { whyTooLarge } from '../yaml-source.js';
import { isYson } from '../ytsaurus/yson.js';
import { blockText } from './block-outline.js';
import { type EntryStyle, NotOutlined, type Outline, type TextRange } from './entry-style.js';
import { jsonText, jsonValue, spaceEnd } from './json-outline.js';
import type { Below, EntryWarning, KeptEntry, Phase, Totals } from './kept-entry.js';
import { type LineAndColumn, LineIndex } from './line-index.js';

/** A configuration: a text, whose problems have places, or a JSON value as a text, whose problems have none. */
export type EntriesInput = { text: string } | { jsonText: string };

const styles = { jsonText, jsonValue, blockText };
type StyleName = keyof typeof styles;

/** A configuration that was read entry by entry, and what is needed to read the next one from it. */
export interface EntriesRead {
  result: ConfigurationResult;
  kept: KeptEntries;
}

/** Only this module looks inside; it can be sent to another thread. */
export interface KeptEntries {
  text: string;
  style: StyleName;
  partition: string;
  mode: RuleMode;
  /** Where the list of the queues below the root begins and ends. */
  begin: number;
  end: number;
  below: Below;
  /** Of everything but these queues. */
  warnings: EntryWarning[];
}

/** What was read before. */
export interface ReadBefore extends EntriesRead {}

export interface ReadEntriesOptions {
  /** An earlier configuration, read with the same options: its entries are taken over where they are the same. */
  base?: ReadBefore | undefined;
  /** Reads no more entries than this; absent: any number. */
  most?: number;
}

/**
 * Reads a queues.yaml that has one partition and no error, and is written in JSON, or in YAML whose queues are block collections of lines that
 * end what they begin. Each entry of a queue is read alone, with what it inherits and what its rules need of the queues above and below;
 * what is the same as in an earlier configuration is not read at all.
 *
 * @returns exactly what `readConfiguration` does (read-entries.spec.ts), where queues that did not change are the same objects as in `base`;
 *   undefined for every other text and for one with an error, which `readConfiguration` has to read.
 */
export function readEntries(
  input: EntriesInput,
  options: ConfigurationOptions,
  { base, most = Number.POSITIVE_INFINITY }: ReadEntriesOptions = {},
): EntriesRead | undefined {
  const style = styleOf(input);
  if (style === undefined || (options.format !== undefined && options.format !== 'yunikorn'))
    return undefined;
  const text = 'text' in input ? input.text : input.jsonText;
  try {
    return new EntriesReader(text, style, options, base, most).read();
  } catch (error) {
    if (error instanceof NotOutlined) return undefined;
    throw error;
  }
}

/** Undefined for a text that is written in another style. */
function styleOf(input: EntriesInput): StyleName | undefined {
  if ('jsonText' in input) return isObject(input.jsonText) ? 'jsonValue' : undefined;
  const { text } = input;
  if (whyTooLarge(text) !== undefined || isYson(text) || isHadoopText(text, undefined)) return undefined;
  return isObject(text) ? 'jsonText' : 'blockText';
}

const isObject = (json: string): boolean => json[spaceEnd(json, 0)] === '{';

/** The path of the entry in its own warnings, in place of its own, which changes when other queues come and go. */
const self = '@';

/** What the queues of a list inherit, and what their rules need. */
interface Above {
  path: string;
  limit: Bounds;
  delay: bigint;
}

/** The list of an earlier configuration in place of which another one stands. */
interface OldList {
  below: Below;
  /** The offset of its list in its text. */
  begin: number;
  /** The index of its first queue in the result. */
  index: number;
}

/** An entry of an earlier configuration. */
interface OldEntry {
  entry: KeptEntry;
  begin: number;
  index: number;
}

/** Mappings and lists around the entry of a queue take two levels of nesting each. */
const mostLevels = configurationLimits.depth / 4;

class EntriesReader {
  readonly #queues: ConfigurationQueue[] = [];
  #left: number;
  #partition!: PartitionTree;
  #mode!: RuleMode;
  #base: ReadBefore | undefined;
  /** Whether everything so far has the place and the warnings that it had. */
  #hasSameWarnings = false;
  readonly #style: EntryStyle;

  constructor(
    private readonly text: string,
    private readonly styleName: StyleName,
    private readonly options: ConfigurationOptions,
    base: ReadBefore | undefined,
    most: number,
  ) {
    this.#left = most;
    this.#style = styles[styleName];
    this.#base = base?.kept.style === styleName ? base : undefined;
  }

  get hasPlaces(): boolean {
    return this.styleName !== 'jsonValue';
  }

  read(): EntriesRead {
    const list = this.#listAsBefore() ?? this.#listOfRoot();
    const skeleton = this.#without(0, list, this.text.length);
    const { partition, templates, warnings, values } = this.#skeleton(skeleton);
    const { root } = partition;
    this.#partition = partition;
    this.#mode = modeOf(partition, this.options.guaranteedEqualsMax);
    const delay = root.delay?.ms ?? 0n;
    const rules = new Problems();
    checkRootIsOpen(root, rules);
    const limit = checkQueue(root, new Map(), delay, this.#mode, rules);
    this.#queues.push(listedQueue(partition.name, root, delay));
    const old = this.#oldList();
    const { below, totals } = this.#list(list, { path: root.path, limit, delay }, old, 1);
    const [only, another] = below.entries;
    // Without its list, the root is not recognised in it: it has the place of the list, and not of an entry.
    if (!root.field.endsWith(']') && only?.name === 'root' && another === undefined) throw new NotOutlined();
    // The root is read without its queues.
    const isParent = root.parent || below.entries.length > 0;
    this.#queues[0] = listedQueue(partition.name, { ...root, parent: isParent }, delay);
    this.#checkBelow(root, below);
    const sums = new Problems();
    checkSum(root, sumOf(below), limit, this.#mode, sums);
    const own = totalsOf(root, delay, values);
    add(totals, own);
    this.#checkTotals(totals);
    const effect = new Problems();
    warnOfNoEffect(
      partition,
      { isLimited: totals.limited > 0, isDelayed: totals.delayed > 0 },
      effect,
      this.options.switchedOn,
    );
    const further = {
      rules,
      sums,
      effect,
      ...this.#furtherWarnings(root, templates),
    };
    const found = [...warnings, ...this.#warningsOf(further, skeleton)];
    return {
      result: this.#result(found, list, below),
      kept: {
        text: this.text,
        style: this.styleName,
        partition: partition.name,
        mode: this.#mode,
        ...list,
        below,
        warnings: found,
      },
    };
  }

  /** The list of the queues below the root, if everything around it is as it was; `#list` finds whether it ends there. */
  #listAsBefore(): TextRange | undefined {
    if (this.#base === undefined) return undefined;
    const { text: old, begin, end: oldEnd } = this.#base.kept;
    const after = old.length - oldEnd;
    const end = this.text.length - after;
    const isSame = isTextAt(old, 0, this.text, 0, begin) && isTextAt(old, oldEnd, this.text, end, after);
    if (!isSame || begin > end) return undefined;
    this.#hasSameWarnings = !this.hasPlaces;
    return { begin, end };
  }

  /** The list of the queues below the root: that of the only top queue if it is the root, else that of the partition. */
  #listOfRoot(): TextRange {
    const { text } = this;
    const style = this.#style;
    const partitions = existing(style.document(text, 'partitions').list);
    const nextPartition = style.nextIn(text, partitions);
    const partition = style.entry(text, nextPartition(partitions.begin), 'queues');
    if (nextPartition(partition.end) !== partitions.end) throw new NotOutlined();
    const queues = existing(partition.list);
    const next = style.nextIn(text, queues);
    const first = next(queues.begin);
    if (first === queues.end) return queues;
    const only = style.entry(text, first, 'queues');
    const isRoot =
      next(only.end) === queues.end && isNamedRoot(this.#fieldOf(this.#own(first, only), 'entry'));
    return isRoot ? existing(only.list) : queues;
  }

  /** Without the list. */
  #own(begin: number, { end, list }: Outline): string {
    return list === undefined ? this.text.slice(begin, end) : this.#without(begin, list, end);
  }

  #without(begin: number, list: TextRange, end: number): string {
    return this.text.slice(begin, list.begin) + this.text.slice(list.end, end);
  }

  /** Everything but the queues below the root. */
  #skeleton(skeleton: string) {
    const problems = new Problems(this.options);
    const field = this.#fieldOf(skeleton, 'document');
    if (holdsText(field) || otherAnswer(field) !== undefined) throw new NotOutlined();
    const reader = new QueueReader(problems, this.options.checkWindow);
    const [partition, ...others] = readPartitions(field, reader, problems);
    if (partition === undefined || others.length > 0 || problems.any) throw new NotOutlined();
    // A list that is empty here is that of the root, whatever its entry says.
    if (partition.root.children.length > 0) throw new NotOutlined();
    const warnings = this.#warningsOf({ reading: problems }, skeleton);
    return { partition, templates: reader.templates, warnings, values: sizeOf(field).values };
  }

  /** The list that this one is compared with; undefined: everything is read. */
  #oldList(): OldList | undefined {
    const kept = this.#base?.kept;
    if (kept === undefined || kept.partition !== this.#partition.name) return undefined;
    const { isEqualityAllowed, independentQuotas } = kept.mode;
    if (
      isEqualityAllowed !== this.#mode.isEqualityAllowed ||
      independentQuotas !== this.#mode.independentQuotas
    )
      return undefined;
    return { below: kept.below, begin: kept.begin, index: 1 };
  }

  /** The queues of a list, each as it was where its text and what it inherits are the same. */
  #list(
    list: TextRange,
    above: Above,
    old: OldList | undefined,
    level: number,
  ): { below: Below; totals: Totals } {
    if (level > mostLevels) throw new NotOutlined();
    const same = old && isSame(above, old.below) ? new OldEntries(old) : undefined;
    const [gaps, entries, totals]: [number[], KeptEntry[], Totals] = [[], [], noTotals()];
    const nextFrom = this.#style.nextIn(this.text, list);
    let at = list.begin;
    let isChanged = same === undefined;
    for (let next = nextFrom(at); next < list.end; next = nextFrom(at)) {
      gaps.push(next - at);
      const kept = same?.takeSame(this.#base!.kept.text, this.text, next, this.#style);
      const entry = kept?.entry ?? this.#changed(next, above, same, level);
      if (kept) this.#take(kept);
      if (same?.taken !== entries.length) isChanged = true;
      entries.push(entry);
      add(totals, entry.totals);
      at = next + entry.length;
    }
    gaps.push(list.end - at);
    if (isChanged || entries.length !== same?.size) {
      assertOneOfEachName(entries);
      this.#hasSameWarnings = false;
    }
    return { below: { head: 0, tail: 0, ...above, gaps, entries }, totals };
  }

  /** The queues of an entry that is as it was. */
  #take({ entry, index }: OldEntry): void {
    const { queues } = this.#base!.result;
    for (let i = index; i < index + entry.totals.queues; i++) this.#queues.push(queues[i]!);
  }

  /** Reads the entry at an offset. */
  #changed(at: number, above: Above, same: OldEntries | undefined, level: number): KeptEntry {
    if (this.#left-- <= 0) throw new NotOutlined();
    const outline = this.#style.entry(this.text, at, 'queues');
    const { end, list } = outline;
    const own = this.#own(at, outline);
    const field = this.#fieldOf(own, 'entry');
    const { values, levels } = sizeOf(field);
    if (levels > mostLevels) throw new NotOutlined();
    const reading = new Problems(this.options);
    const reader = new QueueReader(reading, this.options.checkWindow);
    const queue = reader.entry(field, self, above.path);
    if (queue === undefined || reading.any || queue.maxApplications === 'unreadable') throw new NotOutlined();
    const delay = queue.delay?.ms ?? ((this.options.delayInheritance ?? true) ? above.delay : 0n);
    const rules = new Problems();
    const limit = checkQueue(queue, above.limit, delay, this.#mode, rules);
    const index = this.#queues.length;
    this.#queues.push(listedQueue(this.#partition.name, queue, delay));
    const name = queue.path.slice(above.path.length + 1);
    const old = same?.takeChanged(name);
    const totals = totalsOf(queue, delay, values);
    const entry: KeptEntry = {
      name: detached(name),
      length: end - at,
      maxApplications: queue.maxApplications,
      totals,
    };
    if (queue.share !== undefined) entry.share = queue.share.percent;
    let sum: Bounds = new Map();
    if (list !== undefined) {
      const of = { path: queue.path, limit, delay };
      const read = this.#list(list, of, old?.list, level + 1);
      entry.below = { ...read.below, head: list.begin - at, tail: end - list.end };
      if (entry.below.entries.length > 0) {
        this.#queues[index] = listedQueue(this.#partition.name, { ...queue, parent: true }, delay);
      }
      add(totals, read.totals);
      this.#checkBelow(queue, entry.below);
      sum = sumOf(entry.below);
    }
    const sums = new Problems();
    const guaranteed = [...checkSum(queue, sum, limit, this.#mode, sums)];
    if (guaranteed.length > 0) entry.guaranteed = guaranteed;
    const found = { reading, rules, sums, ...this.#furtherWarnings(queue, reader.templates) };
    const warnings = this.#warningsOf(found, own);
    if (warnings.length > 0) entry.warnings = warnings;
    totals.warnings += warnings.length;
    const isAsBefore = old?.entry.totals.warnings === totals.warnings;
    if (!isAsBefore || !isDeepStrictEqual(entry.warnings, old.entry.warnings)) this.#hasSameWarnings = false;
    return entry;
  }

  #furtherWarnings(queue: QueueTree, amounts: QueueReader['templates']) {
    const { knownResourceTypes: known } = this.options;
    const [types, templates, delays] = [new Problems(), new Problems(), new Problems()];
    warnOfUnknownTypes([{ root: queue }], [], known, 'yunikorn', types);
    warnOfUnknownTypes([], amounts, known, 'yunikorn', templates);
    warnOfUnusualDelays(queue, delays);
    return { types, templates, delays };
  }

  /** Rule 5, and the sum of shares: `checkRules` would say what is wrong. */
  #checkBelow(queue: QueueTree, { entries }: Below): void {
    const most = queue.maxApplications;
    if (most === 'unreadable') throw new NotOutlined();
    let shares = 0;
    for (const { share, maxApplications } of entries) {
      if (most > 0 && isCountFaulty(maxApplications, most)) throw new NotOutlined();
      shares += share ?? 0;
      if (share !== undefined && sharesFault(shares) !== undefined) throw new NotOutlined();
    }
  }

  #checkTotals({ queues, values, freezes }: Totals): void {
    const isTooMuch = queues > configurationLimits.queues || values > configurationLimits.values;
    if (isTooMuch || freezes > mostConfiguredFreezes) throw new NotOutlined();
  }

  #fieldOf(own: string, of: 'document' | 'entry'): Field {
    const field = this.#style.fieldOf(own, of);
    if (field === undefined) throw new NotOutlined();
    return field;
  }

  /** @throws NotOutlined for an error. */
  #warningsOf(found: Partial<Record<Phase, Problems>>, own: string): EntryWarning[] {
    const warnings: EntryWarning[] = [];
    for (const [phase, problems] of Object.entries(found) as [Phase, Problems][]) {
      if (problems.any) throw new NotOutlined();
      for (const { code, path, message, ...place } of problems.found()) {
        const offset = place.line === undefined ? {} : { offset: offsetIn(own, place) };
        const isOwn = path.startsWith(self);
        warnings.push({
          phase,
          code,
          path: detached(isOwn ? path.slice(self.length) : path),
          message,
          ...offset,
        });
      }
    }
    return warnings;
  }

  #result(ofSkeleton: readonly EntryWarning[], list: TextRange, below: Below): ConfigurationResult {
    const { name, quotaPreemptionEnabled, policies } = this.#partition;
    return {
      format: 'yunikorn',
      valid: true,
      errors: [],
      allowUnknownHelps: false,
      warnings: this.#sameWarnings(ofSkeleton) ?? this.#warnings(ofSkeleton, list, below),
      partitions: [{ name, quotaPreemptionEnabled, policies }],
      queues: this.#queues,
    };
  }

  /** Those of the earlier configuration, if all of them are as they were. In a text, a changed entry may have moved their places. */
  #sameWarnings(ofSkeleton: readonly EntryWarning[]): ConfigurationResult['warnings'] | undefined {
    if (this.#base === undefined || !this.#hasSameWarnings) return undefined;
    const { kept, result } = this.#base;
    return isDeepStrictEqual(ofSkeleton, kept.warnings) ? result.warnings : undefined;
  }

  #warnings(
    ofSkeleton: readonly EntryWarning[],
    list: TextRange,
    below: Below,
  ): ConfigurationResult['warnings'] {
    const collected = new CollectedWarnings(this.hasPlaces ? new LineIndex(this.text) : undefined);
    const { root, name } = this.#partition;
    const about = (path: string) => subjectIn(this.#partition, path, this.options.partition ?? name);
    const outer = { begin: 0, head: list.begin, gap: list.end - list.begin };
    const own = ofSkeleton.filter(({ phase }) => phase !== 'sums');
    const sums = ofSkeleton.filter(({ phase }) => phase === 'sums');
    collected.add(own, '', outer, about);
    collected.addBelow(below, list.begin, listPath(root), root.path);
    collected.add(sums, '', outer, about);
    return collected.all();
  }
}

/** The list of the queues below the root is at this field. */
function listPath(root: QueueTree): string {
  // A root that is added above all top queues is at their list.
  return root.field.endsWith(']') ? `${root.field}.queues` : root.field;
}

/** As `subjectsOfFields`, for a problem outside of the queues below the root. */
function subjectIn({ name, origin, root }: PartitionTree, path: string, otherwise: string): Subject {
  const isWithin = (field: string) =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
  if (isWithin(origin.path)) return ofPartition(name);
  return isWithin(root.field) ? ofQueue(root.path) : ofPartition(otherwise);
}

/** Brings the warnings of all entries into the order and to the places of a whole reading. */
class CollectedWarnings {
  readonly #found: {
    phase: Phase;
    warning: EntryWarning;
    path: string;
    place: LineAndColumn;
    about: Subject;
  }[] = [];

  constructor(private readonly places: LineIndex | undefined) {}

  /** @param of where its own text begins, how long it is before its list, and how long the list is. */
  add(
    warnings: readonly EntryWarning[],
    path: string,
    of: { begin: number; head: number; gap: number },
    about: (path: string) => Subject,
  ): void {
    for (const warning of warnings) {
      const { offset } = warning;
      const where = offset === undefined ? 0 : of.begin + offset + (offset >= of.head ? of.gap : 0);
      const place = offset === undefined || !this.places ? {} : this.places.at(where);
      const full = path + warning.path;
      this.#found.push({ phase: warning.phase, warning, path: full, place, about: about(full) });
    }
  }

  addBelow({ entries, gaps }: Below, begin: number, path: string, queuePath: string): void {
    let at = begin;
    for (const [index, entry] of entries.entries()) {
      at += gaps[index]!;
      if (entry.totals.warnings > 0)
        this.#addEntry(entry, at, `${path}[${index}]`, `${queuePath}.${entry.name}`);
      at += entry.length;
    }
  }

  #addEntry({ warnings = [], below, length }: KeptEntry, begin: number, path: string, queue: string): void {
    const { head, tail } = below ?? { head: length, tail: 0 };
    const of = { begin, head, gap: length - head - tail };
    const about = () => ofQueue(queue);
    this.add(
      warnings.filter(({ phase }) => phase !== 'sums'),
      path,
      of,
      about,
    );
    if (below) this.addBelow(below, begin + head, `${path}.queues`, queue);
    this.add(
      warnings.filter(({ phase }) => phase === 'sums'),
      path,
      of,
      about,
    );
  }

  all(): ConfigurationResult['warnings'] {
    const problems = new Problems();
    const subjects = new Map<string, Subject>();
    for (const wanted of order) {
      for (const { phase, warning, path, place, about } of this.#found) {
        if (!wanted.includes(phase)) continue;
        problems.warning(warning.code, path, warning.message, place);
        subjects.set(path, about);
      }
    }
    return problems.warnings((path) => subjects.get(path)!);
  }
}

/** The rules of a queue with those below it are checked in the same walk as its own. */
const order: readonly (readonly Phase[])[] = [
  ['reading'],
  ['rules', 'sums'],
  ['effect'],
  ['types'],
  ['templates'],
  ['delays'],
];

/** The entries of a list of an earlier configuration, in their order, as those of the next one are compared with them. */
class OldEntries {
  readonly #all: readonly KeptEntry[];
  readonly #begins: number[] = [];
  readonly #indexes: number[] = [];
  #next = 0;
  #byName: Map<string, number> | undefined;
  /** The place of the entry that was taken last; -1: there was none. */
  taken = -1;

  constructor({ below: { entries, gaps }, begin, index }: OldList) {
    this.#all = entries;
    for (const [i, { length, totals }] of entries.entries()) {
      begin += gaps[i]!;
      this.#begins.push(begin);
      this.#indexes.push(index);
      begin += length;
      index += totals.queues;
    }
  }

  get size(): number {
    return this.#all.length;
  }

  /** The entry whose text is the same as that of the new text at an offset: the next one, or the one after it. */
  takeSame(oldText: string, text: string, at: number, style: EntryStyle): OldEntry | undefined {
    for (const i of [this.#next, this.#next + 1]) {
      const entry = this.#all[i];
      const begin = this.#begins[i]!;
      if (entry === undefined || !isTextAt(oldText, begin, text, at, entry.length)) continue;
      if (!style.isWhole(text, at, at + entry.length)) continue;
      this.taken = i;
      this.#next = i + 1;
      return { entry, begin, index: this.#indexes[i]! };
    }
    return undefined;
  }

  /** The entry with the same name, and its list. */
  takeChanged(name: string): { entry: KeptEntry; list: OldList | undefined } | undefined {
    let i = this.#next;
    if (this.#all[i]?.name !== name) {
      this.#byName ??= new Map(this.#all.map((entry, index) => [entry.name, index]));
      i = this.#byName.get(name) ?? -1;
    }
    this.taken = i;
    const entry = this.#all[i];
    if (entry === undefined) return undefined;
    this.#next = i + 1;
    const { below } = entry;
    const list = below && { below, begin: this.#begins[i]! + below.head, index: this.#indexes[i]! + 1 };
    return { entry, list };
  }
}

/** Slices of a text are no copies. */
const isTextAt = (a: string, from: number, b: string, at: number, length: number): boolean =>
  a.slice(from, from + length) === b.slice(at, at + length);

function isSame(above: Above, old: Above): boolean {
  if (above.path !== old.path || above.delay !== old.delay || above.limit.size !== old.limit.size)
    return false;
  return [...above.limit].every(([type, most]) => old.limit.get(type) === most);
}

function existing(list: TextRange | undefined): TextRange {
  if (list === undefined) throw new NotOutlined();
  return list;
}

function assertOneOfEachName(entries: readonly KeptEntry[]): void {
  if (new Set(entries.map(({ name }) => name)).size < entries.length) throw new NotOutlined();
}

function sumOf({ entries }: Below): Bounds {
  const sum = new Map<string, bigint>();
  for (const { guaranteed } of entries) if (guaranteed) addBounds(sum, guaranteed);
  return sum;
}

const noTotals = (): Totals => ({ queues: 0, values: 0, freezes: 0, warnings: 0, limited: 0, delayed: 0 });

/** Of one queue alone. */
function totalsOf(queue: QueueTree, delay: bigint, values: number): Totals {
  const freezes = queue.properties?.[freezeProperty] as readonly unknown[] | undefined;
  const limited = queue.max.size > 0 ? 1 : 0;
  return {
    queues: 1,
    values,
    freezes: freezes?.length ?? 0,
    warnings: 0,
    limited,
    delayed: limited && delay > 0n ? 1 : 0,
  };
}

function add(totals: Totals, more: Totals): void {
  totals.queues += more.queues;
  totals.values += more.values;
  totals.freezes += more.freezes;
  totals.warnings += more.warnings;
  totals.limited += more.limited;
  totals.delayed += more.delayed;
}

/** How many values a field has, and how many levels of mappings and lists. */
function sizeOf(field: Field): { values: number; levels: number } {
  if (field.kind === 'scalar') return { values: 1, levels: 0 };
  const inside = field.kind === 'list' ? field.items : [...field.entries.values()].map(({ value }) => value);
  let [values, levels] = [1, 0];
  for (const one of inside) {
    const size = sizeOf(one);
    values += size.values;
    levels = Math.max(levels, size.levels);
  }
  return { values, levels: levels + 1 };
}

/** The offset of a place in a text. */
function offsetIn(text: string, { line = 1, column = 1 }: LineAndColumn): number {
  let begin = 0;
  for (let i = 1; i < line; i++) begin = text.indexOf('\n', begin) + 1;
  return begin + column - 1;
}

/** A copy: a part of a text would keep the whole text in memory. */
const detached = (part: string): string => Buffer.from(part).toString();
