import type { NamedKind } from '@curtail/contracts/api';
import type { Invocation } from '../invocation.js';
import { type Cell, type Column, tableLines } from '../output/table.js';
import type { Client } from '../server/client.js';

/** Limits a list to a partition, a queue, a time and a length. */
export interface ListFilter {
  partition: string;
  queue?: string;
  /** RFC 3339 */
  since?: string;
  limit: number;
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
  /** The word on the command line, and in the path of the list. */
  plural: string;
  /** The word in the path of the list, where that is not `plural`. */
  address?: string;
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
  { plural, empty, everywhere }: Pick<ResourceKind<unknown>, 'plural' | 'empty' | 'everywhere'>,
  { partition, queue, since }: ListFilter,
): string {
  if (queue === undefined && since === undefined) {
    return everywhere ? empty : empty.replace(/^[^:]+/, (nothing) => `${nothing} in partition ${partition}`);
  }
  const where = queue === undefined ? '' : ` for ${queue} or below it`;
  return `no ${plural}${where}${since === undefined ? '' : ' since then'} in partition ${partition}`;
}

export function resourceLines<T>(
  resource: ResourceKind<T>,
  items: readonly T[],
  { format, style, width }: Pick<Invocation, 'format' | 'style' | 'width'>,
  now: number,
): string[] {
  const columns = resource.columns.filter(({ wide }) => !wide || format === 'wide');
  const rows = items.map((item) => columns.map(({ cell }) => cell(item, now)));
  return tableLines(columns, rows, { width, style });
}
