import { setTimeout as pause } from 'node:timers/promises';
import type { Invocation } from './invocation.js';
import { exactJson } from './output/exact-json.js';
import { write } from './output/print.js';
import { printable } from './output/printable.js';
import { type ResourceKind, resourceLines } from './resources/resource-kind.js';
import { NoAnswerError } from './server/server-error.js';

interface Watched {
  /** One resource, not a list. */
  single: boolean;
  /** Printed in place of an empty table. */
  empty: string;
  read: (signal: AbortSignal) => Promise<unknown[]>;
}

/** Frequent enough for a countdown in seconds. */
const everyMs = 1000;

/**
 * Shows resources repeatedly until Ctrl-C: in place on a terminal, elsewhere one line for each new or changed resource (JSON as one
 * object per line). Waits for a server that is down meanwhile.
 */
export async function watch(
  invocation: Invocation,
  resource: ResourceKind<unknown>,
  watched: Watched,
): Promise<void> {
  const interrupted = invocation.terminal.untilInterrupted?.() ?? new AbortController().signal;
  const show =
    invocation.terminal.stdout.isTTY && isTable(invocation) ? inPlace(invocation) : changes(invocation);
  let answered = false;
  let away = false;
  while (!interrupted.aborted && !invocation.terminal.stdout.destroyed) {
    try {
      const items = await watched.read(interrupted);
      await show(resource, items, watched);
      answered = true;
      away = false;
    } catch (error) {
      if (interrupted.aborted) return;
      if (!answered || !(error instanceof NoAnswerError)) throw error;
      if (!away) invocation.report(`${error.message}; waiting for it, Ctrl-C to give up`);
      away = true;
    }
    await pause(everyMs, undefined, { signal: interrupted }).catch(() => {});
  }
}

type Show = (
  resource: ResourceKind<unknown>,
  items: unknown[],
  watched: Pick<Watched, 'single' | 'empty'>,
) => Promise<void>;

function isTable({ format }: Invocation): boolean {
  return format === 'table' || format === 'wide';
}

/** Rewrites the same lines of the screen. */
function inPlace(invocation: Invocation): Show {
  const { stdout } = invocation.terminal;
  let shown = 0;
  return async (resource, items, { single, empty }) => {
    const now = Date.now();
    const lines = items.length === 0 ? [empty] : resourceLines(resource, items, invocation, now);
    if (single && items.length > 0) lines.push(...(resource.below?.(items[0], invocation, now) ?? []));
    const room = Math.max(2, (stdout.rows ?? 24) - 1);
    const fitting =
      lines.length <= room
        ? lines
        : [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more lines`];
    // From the beginning of the table, and clear everything below it.
    const start = shown === 0 ? '' : `\u001b[${shown}A\r\u001b[J`;
    shown = fitting.length;
    await write(invocation, `${start}${fitting.join('\n')}\n`);
  };
}

/** Rows that are new or changed. */
function changes(invocation: Invocation): Show {
  let before = new Map<string, string>();
  let titled = false;
  return async (resource, items) => {
    const now = new Map(items.map((item) => [resource.nameOf(item), JSON.stringify(item)]));
    const changed = items.filter((item) => {
      const name = resource.nameOf(item);
      return before.get(name) !== now.get(name);
    });
    before = now;
    if (changed.length === 0) return;
    const lines = await linesOf(invocation, resource, changed, titled);
    titled = true;
    await write(invocation, `${lines.join('\n')}\n`);
  };
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
    case 'yaml': {
      const { stringify } = await import('yaml');
      return items.map((item) => `---\n${stringify(item, { aliasDuplicateObjects: false }).trimEnd()}`);
    }
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
