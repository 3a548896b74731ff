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
  /** Of what is long in a single one, so many; absent: all. */
  first?: number | undefined;
}

/** Of what is long, so many are shown on a terminal. */
export const firstShown = 50;

/** Printed if items were left out. */
export function moreLines(all: number, shown: number): string[] {
  return all > shown ? [`… and ${all - shown} more: --all shows them`] : [];
}

export interface ResourceColumn<T> extends Column {
  /** Shown with `-o wide` only. */
  wide?: true;
  /** `now` is the moment that times are relative to. */
  cell(item: T, now: number): Cell;
}

/**
 * One kind of resource that can be listed: where it is found, what names it, and how people see it. Methods, so that the code
 * that shows any of them can take each as `ResourceKind<unknown>`: it only hands back what it has read.
 */
export interface ResourceKind<T> {
  /** One of them, as names have it: `queue/root.a`. */
  kind: string;
  /** Many of them, as the address of the list has it. */
  plural: string;
  /** The list is one of the past: `--since` has a meaning. */
  dated: boolean;
  nameOf(item: T): string;
  columns: readonly ResourceColumn<T>[];
  /** Printed in place of an empty table: what there is none of, and after a colon why; the place is put in between. */
  empty: string;
  /** The next step for an empty list. */
  whenEmpty?(): string;
  /** They belong to no partition. */
  everywhere?: true;
  /** One by its name, undefined if there is none; absent where they have no names. */
  one?(client: Client, name: string, filter: ListFilter, signal?: AbortSignal): Promise<T | undefined>;
  /** The next step, printed after the table; undefined if there is nothing to do. `place`: `placeOf`. */
  next?(items: readonly T[], place: string): string | undefined;
  /** Lines below the row of a single one. */
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

/** The option that a command needs to speak of that partition. */
export function placeOf({ partition }: Pick<ListFilter, 'partition'>): string {
  return partition === 'default' ? '' : ` --partition ${partition}`;
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
