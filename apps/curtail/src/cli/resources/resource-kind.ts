import type { NamedKind } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { type Cell, type Column, partitionColumn, tableLines } from '../output/table.js';
import type { Client } from '../server/client.js';
import type { Listed } from './listed.js';

/** Filters that only some kinds have. */
export const ownFilters = [
  ...(['queue', 'state', 'policy', 'type', 'until'] as const),
  ...(['by', 'enforcement', 'user', 'application'] as const),
] as const;
export type OwnFilter = (typeof ownFilters)[number];

/** Limits a list to a partition, a queue, a time and a length. */
export interface ListFilter extends Partial<Record<OwnFilter, string>> {
  partition: string;
  /** RFC 3339 */
  since?: string;
  limit: number;
  allPartitions?: boolean;
  /** A field of the JSON form. */
  sortBy?: string;
  /** How many items of long parts of a single resource; absent: all. */
  first?: number | undefined;
}

/** How many items of long parts are shown on a terminal. */
export const firstShown = 50;

/** Printed if items were left out. */
export function moreLines(all: number, shown: number): string[] {
  return all > shown ? [`… and ${all - shown} more: --all shows them`] : [];
}

export interface ResourceColumn<T> extends Column {
  /** Shown with `-o wide` only. */
  wide?: true;
  /** Left out of a table in which it has nothing (`-`). */
  optional?: true;
  /** `now` is the moment to which times are relative. */
  cell(item: T, now: number): Cell;
}

/**
 * One kind of resource that can be listed: its path, its names, and how to show it. Declared as methods, so that shared code can take
 * each kind as `ResourceKind<unknown>`: it only passes back what it has read.
 */
export interface ResourceKind<T> {
  /** The word in names: `queue/root.a`. */
  kind: string;
  /** The word on the command line. */
  plural: string;
  /** What its items are called in a sentence; absent: as on the command line. */
  things?: string;
  list: Listed<T>;
  /** The server lists it only with one of these filters. */
  needsOneOf?: readonly OwnFilter[];
  /** It lists the past: `--since` applies. */
  dated: boolean;
  nameOf(item: T): string;
  columns: readonly ResourceColumn<T>[];
  /** Printed in place of an empty table: what is missing and, after a colon, why; the place is inserted before the colon. */
  empty: string;
  /** The next step for an empty list. */
  whenEmpty?(): string;
  /** They belong to no partition. */
  everywhere?: true;
  /** Their names may be shortened to a prefix that no other has. */
  shortens?: NamedKind;
  /** Reads one by its name, undefined if there is none; absent if they have no names. */
  one?(client: Client, name: string, filter: ListFilter, signal?: AbortSignal): Promise<T | undefined>;
  /** The next step, printed after the table; undefined if there is none. `place`: `placeOf`. */
  next?(items: readonly T[], place: string): string | undefined;
  /** Lines below the row of a single resource. */
  below?(item: T, invocation: Invocation, now: number): string[];
}

/** The text in place of an empty table: nothing exists, or nothing matches the filter. */
export function emptyText(
  {
    plural,
    things = plural,
    empty,
    everywhere,
  }: Pick<ResourceKind<unknown>, 'plural' | 'things' | 'empty' | 'everywhere'>,
  {
    partition,
    queue,
    since,
    until,
    allPartitions,
    by,
    enforcement,
    user,
    application,
    ...filter
  }: ListFilter,
): string {
  const place = allPartitions ? 'in any partition' : `in partition ${partition}`;
  const others: Partial<Record<OwnFilter, string>> = filter;
  const own = ownFilters.flatMap((name) => (name === 'queue' ? [] : (others[name] ?? [])));
  const whose = [enforcement, user, application].flatMap((name) => name ?? []);
  const texts = [
    own.length === 0 ? '' : ` that are ${own.join(', ')}`,
    whose.length === 0 ? '' : ` of ${whose.join(' and ')}`,
    by === undefined ? '' : ` by ${by}`,
    queue === undefined ? '' : ` for ${queue} or below it`,
    since === undefined && until === undefined ? '' : until === undefined ? ' since then' : ' in that time',
  ];
  if (texts.every((text) => text === '')) {
    return everywhere ? empty : empty.replace(/^[^:]+/, (nothing) => `${nothing} ${place}`);
  }
  return `no ${things}${texts.join('')} ${place}`;
}

/** The same kind with the partition of each item in the first column. */
export function withPartitions<T>(resource: ResourceKind<T>): ResourceKind<T> {
  if (resource.everywhere) return resource;
  const partition = (item: T) => (item as { partition?: string }).partition ?? '-';
  const others = resource.columns.filter(({ title }) => title !== partitionColumn.title);
  return { ...resource, columns: [{ ...partitionColumn, cell: partition }, ...others] };
}

export function resourceLines<T>(
  resource: ResourceKind<T>,
  items: readonly T[],
  { format, style, width }: Pick<Invocation, 'format' | 'style' | 'width'>,
  now: number,
): string[] {
  const columns = resource.columns
    .filter(({ wide }) => !wide || format === 'wide')
    .map((column) => ({ column, cells: items.map((item) => column.cell(item, now)) }))
    .filter(
      ({ column, cells }) => !column.optional || format === 'wide' || cells.some((cell) => cell !== '-'),
    );
  const rows = items.map((_, row) => columns.map(({ cells }) => cells[row]!));
  return tableLines(
    columns.map(({ column }) => column),
    rows,
    { width, style },
  );
}
