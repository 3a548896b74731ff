import { setTimeout as pause } from 'node:timers/promises';
import type { Invocation } from '../invocation/invocation.js';
import { exactJson, write, yamlText } from '../output/print.js';
import { isAway } from '../server/server-error.js';
import { printable, safeLine } from '../terminal/printable.js';
import { type ResourceKind, resourceLines } from './resource-kind.js';

interface Watched {
  /** One resource, not a list. */
  single: boolean;
  /** Printed in place of an empty table. */
  empty: string;
  /** @param isKnown whether an item was printed before: a list that begins with the latest is read until there. Absent: only its first page. */
  read: (signal: AbortSignal, isKnown?: (item: unknown) => boolean) => Promise<unknown[]>;
}

/**
 * Shows resources repeatedly until Ctrl-C: in place on a terminal, elsewhere one line for each new or changed resource (JSON as one
 * object per line). Waits for a server that is down meanwhile.
 */
export async function watch(
  invocation: Invocation,
  resource: ResourceKind<unknown>,
  watched: Watched,
): Promise<void> {
  const { show, isKnown }: Shower = showsInPlace(invocation)
    ? { show: itemsInPlace(invocation) }
    : changes(invocation, resource);
  let known: typeof isKnown;
  await repeatedly(invocation, async (signal) => {
    await show(resource, await watched.read(signal, known), watched);
    known = isKnown;
  });
}

/** Whether repeated output replaces what was shown before. */
export const showsInPlace = (invocation: Invocation): boolean =>
  invocation.terminal.stdout.isTTY === true && isTable(invocation);

/** Calls `once` repeatedly until Ctrl-C, and waits for a server that is down or starts again meanwhile. */
export async function repeatedly(
  invocation: Invocation,
  once: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { untilInterrupted, readsEveryMs = 1000 } = invocation.terminal;
  const interrupted = untilInterrupted?.() ?? new AbortController().signal;
  let answered = false;
  let away = false;
  while (!interrupted.aborted && !invocation.terminal.stdout.destroyed) {
    try {
      await once(interrupted);
      answered = true;
      away = false;
    } catch (error) {
      if (interrupted.aborted) return;
      if (!answered || !isAway(error)) throw error;
      if (!away) invocation.report(`waiting for the server, Ctrl-C to give up: ${error.message}`);
      away = true;
    }
    await pause(readsEveryMs, undefined, { signal: interrupted }).catch(() => {});
  }
}

type Show = (
  resource: ResourceKind<unknown>,
  items: unknown[],
  watched: Pick<Watched, 'single' | 'empty'>,
) => Promise<void>;

interface Shower {
  show: Show;
  isKnown?: (item: unknown) => boolean;
}

function isTable({ format }: Invocation): boolean {
  return format === 'table' || format === 'wide';
}

function itemsInPlace(invocation: Invocation): Show {
  const rewrite = inPlace(invocation);
  return (resource, items, { single, empty }) => {
    const now = Date.now();
    const lines = items.length === 0 ? [empty] : resourceLines(resource, items, invocation, now);
    if (single && items.length > 0) lines.push(...(resource.below?.(items[0], invocation, now) ?? []));
    return rewrite(lines);
  };
}

/** Rewrites the same lines of the screen. */
export function inPlace(invocation: Invocation): (lines: readonly string[]) => Promise<void> {
  const { stdout } = invocation.terminal;
  let shown = 0;
  return async (lines) => {
    const room = Math.max(2, (stdout.rows ?? 24) - 1);
    const fitting =
      lines.length <= room
        ? lines
        : [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more lines`];
    // From the beginning of the table, and clear everything below it.
    const start = shown === 0 ? '' : `\u001b[${shown}A\r\u001b[J`;
    shown = fitting.length;
    await write(invocation, `${start}${fitting.map(safeLine).join('\n')}\n`);
  };
}

/** Items of the past that are remembered beyond those of the last list: more than two lists in a row overlap by. */
const mostRemembered = 10_000;

/**
 * Rows that are new or changed. Lists that begin with the latest are printed in the order in which it happened; older items than those
 * printed at first are left out.
 */
function changes(invocation: Invocation, { dated, nameOf }: ResourceKind<unknown>): Shower {
  let names = new Set<string>();
  let printed = new Set<string>();
  let titled = false;
  const isKnown = (item: unknown) => names.has(nameOf(item));
  const show: Show = async (resource, items) => {
    const lastKnown = dated ? items.findLastIndex(isKnown) : -1;
    const read = lastKnown === -1 ? items : items.slice(0, lastKnown + 1);
    const now = read.map((item) => ({ item, name: nameOf(item), text: JSON.stringify(item) }));
    if (dated) now.reverse();
    const changed = now.filter(({ text }) => !printed.has(text)).map(({ item }) => item);
    const remembered = (before: Set<string>, current: string[]) =>
      new Set(dated ? [...before, ...current].slice(-Math.max(mostRemembered, 2 * current.length)) : current);
    names = remembered(
      names,
      now.map(({ name }) => name),
    );
    printed = remembered(
      printed,
      now.map(({ text }) => text),
    );
    if (changed.length === 0) return;
    const lines = await linesOf(invocation, resource, changed, titled);
    titled = true;
    await write(invocation, `${lines.join('\n')}\n`);
  };
  return dated ? { show, isKnown } : { show };
}

async function linesOf(
  invocation: Invocation,
  resource: ResourceKind<unknown>,
  items: unknown[],
  titled: boolean,
): Promise<string[]> {
  switch (invocation.format) {
    case 'json':
      return items.map((item) => exactJson(item));
    case 'yaml':
      return Promise.all(items.map(async (item) => `---\n${await yamlText(item)}`));
    case 'name':
      return items.map((item) => printable(`${resource.kind}/${resource.nameOf(item)}`));
    default:
      // Not a screen: a row stays on one line.
      return resourceLines(
        resource,
        items,
        { ...invocation, width: Number.POSITIVE_INFINITY },
        Date.now(),
      ).slice(titled ? 1 : 0);
  }
}
