import { setTimeout as delay } from 'node:timers/promises';
import { type DeadLetter, type DeadLetterDetail, type DeadLettersDone, pagesOf } from '#api-client';
import { counted } from '#contracts';
import { confirm } from '../input/confirm.js';
import type { Action, Invocation } from '../invocation/invocation.js';
import { deadLetterDetailLines, deadLetterLines, letterName } from '../output/dead-letter-lines.js';
import { print, printLine } from '../output/print.js';
import { type Client, callerName, clientOf } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import { ServerError } from '../server/server-error.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

interface Filter {
  consumer?: string;
  type?: string;
  since?: string;
}
interface Choice extends Filter {
  all?: boolean;
  yes?: boolean;
}
interface Letter {
  consumer: string;
  event: string;
}

/** Most letters of one page, as the server allows. */
const pageSize = 1000;
/** Interval and time limit of polling for the result of a retry. */
const outcome = { everyMs: 300, withinMs: 30_000 };

export const list: Action = {
  run: async (invocation: Invocation, { limit, ...filter }: Filter & { limit: number }) => {
    const { items, more } = await read(clientOf(invocation), filter, limit);
    await print(invocation, {
      value: { items },
      table: () => deadLetterLines(items, invocation, Date.now()),
      names: () => items.map(letterName),
    });
    if (more) invocation.report(`there are more than ${limit}: use --limit, --consumer, --type or --since`);
    const [first] = items;
    if (first)
      invocation.report(`next: see what to do about one: curtail dead-letters show ${letterName(first)}`);
  },
};

export const show: Action = {
  run: async (invocation: Invocation, name: string) => {
    const client = clientOf(invocation);
    const letter = await letterNow(client, await letterOf(client, name));
    await print(invocation, {
      value: letter,
      table: () => deadLetterDetailLines(letter, invocation, Date.now()),
      names: () => [letterName(letter)],
    });
  },
};

export const retry: Action = {
  run: async (invocation: Invocation, name: string | undefined, choice: Choice) => {
    const client = clientOf(invocation);
    if (name !== undefined) return retryOne(invocation, client, await letterIn(client, name, choice));
    await confirmAll(invocation, choice, 'Retry all matching dead letters?');
    const done = await sendAll(client, 'retry', choice, {});
    await printLine(
      invocation,
      done,
      `${counted(done.letters.length, 'dead letter')} will be retried${done.left.length > 0 ? `, ${counted(done.left.length, 'dead letter')} cannot be` : ''}`,
      ...done.letters.map(letterName),
    );
    invocation.report(
      done.more
        ? 'next: when these are done, run it again for the others'
        : 'next: see what is left in a few seconds: curtail dead-letters list',
    );
    return exitStatus.done;
  },
};

export const discard: Action = {
  run: async (invocation: Invocation, name: string | undefined, choice: Choice & { reason: string }) => {
    const client = clientOf(invocation);
    const { reason } = choice;
    const letter = name === undefined ? undefined : await letterIn(client, name, choice);
    if (!letter) await confirmAll(invocation, choice, 'Discard all matching dead letters?');
    const done = letter
      ? await send(client, 'discard', { ...letter, reason })
      : await sendAll(client, 'discard', choice, { reason });
    await printLine(
      invocation,
      done,
      `${counted(done.letters.length, 'dead letter')} discarded`,
      ...done.letters.map(letterName),
    );
  },
};

/** Waits for the result of the retry. */
async function retryOne(invocation: Invocation, client: Client, letter: Letter): Promise<ExitStatus> {
  const before = await letterNow(client, letter);
  await send(client, 'retry', { ...letter });
  const now = await becomes(client, letter, before.attempts);
  const name = letterName(letter);
  await printLine(
    invocation,
    {
      ...letter,
      outcome: now === undefined ? 'handled' : now.retryAskedAt === null ? 'dead again' : 'requested',
      letter: now ?? null,
    },
    now === undefined
      ? `${name} was handled`
      : now.retryAskedAt === null
        ? `${name} failed again: ${now.reason}`
        : `${name} has not been retried yet: is a process of ${letter.consumer} running?`,
    name,
  );
  if (now !== undefined) invocation.report(`next: see what to do: curtail dead-letters show ${name}`);
  return now === undefined ? exitStatus.done : exitStatus.failed;
}

/** @returns undefined once it is gone. */
async function becomes(
  client: Client,
  letter: Letter,
  attempts: number,
): Promise<DeadLetterDetail | undefined> {
  const until = performance.now() + outcome.withinMs;
  for (;;) {
    const now = await letterNow(client, letter).catch(goneIsNothing);
    if (now === undefined || now.attempts > attempts || now.retryAskedAt === null) return now;
    if (performance.now() > until) return now;
    await delay(outcome.everyMs);
  }
}

function goneIsNothing(error: unknown): undefined {
  if (error instanceof ServerError && error.problem.status === 404) return undefined;
  throw error;
}

async function read(
  client: Client,
  filter: Filter,
  limit: number,
): Promise<{ items: DeadLetter[]; more: boolean }> {
  const items: DeadLetter[] = [];
  const page = (after?: string) =>
    client.get('/v1/dead-letters', {
      params: { query: { ...filter, limit: Math.min(pageSize, limit - items.length), after } },
    });
  for await (const { items: some, next } of pagesOf(page)) {
    items.push(...some);
    if (items.length >= limit) return { items, more: next !== undefined };
  }
  return { items, more: false };
}

/** Until none matches: the server takes some hundred at once. */
async function sendAll(
  client: Client,
  what: 'retry' | 'discard',
  { consumer, type, since }: Choice,
  more: { reason?: string },
): Promise<DeadLettersDone> {
  const filter = JSON.parse(JSON.stringify({ consumer, type, since })) as Filter;
  // Otherwise letters with a pending retry would match again.
  const done = await send(client, what, { ...filter, all: true, ...more });
  let last = done;
  while (what === 'discard' && last.more) {
    last = await send(client, what, { ...filter, all: true, ...more });
    done.letters.push(...last.letters);
  }
  return { ...done, more: last.more };
}

type Wanted = Filter & Partial<Letter> & { all?: true; reason?: string };

const send = (client: Client, what: 'retry' | 'discard', { reason, ...wanted }: Wanted) =>
  what === 'retry'
    ? client.post('/v1/dead-letters/retry', { body: { ...wanted, by: callerName() } })
    : client.post('/v1/dead-letters/discard', {
        body: { ...wanted, reason: reason ?? '', by: callerName() },
      });

async function confirmAll(invocation: Invocation, { all, yes }: Choice, question: string): Promise<void> {
  if (!all) {
    throw new CommandError(
      'name a letter, such as timer/0197f3c2-8d1e-7b1a-9a53-1c8d2f4b6e70, or give --all',
      {
        next: 'list them: curtail dead-letters list',
      },
    );
  }
  await confirm(invocation, question, yes);
}

async function letterIn(
  client: Client,
  name: string,
  { all, consumer, type, since }: Choice,
): Promise<Letter> {
  if (all || consumer !== undefined || type !== undefined || since !== undefined) {
    throw new CommandError(
      'a letter is named together with options that select others: use one or the other',
    );
  }
  return letterOf(client, name);
}

/** The event may be shortened to a unique prefix. */
async function letterOf(client: Client, name: string): Promise<Letter> {
  const next = 'list them: curtail dead-letters list';
  if (!/^[a-z][a-z-]{0,99}\/[0-9a-f][0-9a-f-]{0,35}$/i.test(name)) {
    throw new CommandError(
      `${JSON.stringify(name)} is not a dead letter: write consumer and event, such as timer/0197f3c2-8d1e-7b1a-9a53-1c8d2f4b6e70`,
      { next },
    );
  }
  const [, consumer, event] =
    /^(.+)\/(.{8}-.{4}-.{4}-.{4}-.{12})$/.exec(await fullName(client, 'dead-letter', name)) ?? [];
  if (consumer && event) return { consumer, event };
  throw new CommandError(`there is no dead letter ${name}`, { next });
}

const letterNow = (client: Client, { consumer, event }: Letter) =>
  client.get('/v1/dead-letters/{consumer}/{event}', { params: { path: { consumer, event } } });
