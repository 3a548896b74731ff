import { CommandError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { print } from '../output/print.js';
import { hanging } from '../output/wrapped.js';
import { type Client, clientOf } from '../server/client.js';
import { type ExitStatus, exitStatus } from '../terminal.js';
import { things } from '../things/index.js';
import type { Noun } from '../things/nouns.js';
import { readList, readOne } from '../things/read.js';
import { emptyText, firstShown, placeOf, type Thing, thingLines, type Wish } from '../things/thing.js';
import { watch } from '../watch.js';

interface GetOptions extends Wish {
  watch?: boolean;
  all?: boolean;
}

export async function run(
  invocation: Invocation,
  what: string,
  name: string | undefined,
  { all = false, ...given }: GetOptions,
): Promise<ExitStatus> {
  const options = { ...given, first: invocation.isForPeople && !all ? firstShown : undefined };
  const thing = things[(what.endsWith('s') ? what : `${what}s`) as Noun];
  if (options.since !== undefined && (!thing.dated || name !== undefined)) {
    throw new CommandError(
      `--since is for the past: lists of enforcements, plans, events, notices and replays; leave it out here`,
    );
  }
  const client = clientOf(invocation);
  if (options.watch) {
    await watch(invocation, thing, {
      single: name !== undefined,
      empty: emptyText(thing, options),
      read: async (signal) =>
        name === undefined
          ? (await readList(client, thing, options, signal)).items
          : [await readOne(client, thing, name, options, signal)],
    });
    return exitStatus.done;
  }
  if (name !== undefined) await printOne(invocation, client, thing, name, options);
  else await printList(invocation, client, thing, options);
  return exitStatus.done;
}

async function printOne(
  invocation: Invocation,
  client: Client,
  thing: Thing<unknown>,
  name: string,
  wish: Wish,
): Promise<void> {
  const item = await readOne(client, thing, name, wish);
  const now = Date.now();
  await print(invocation, {
    value: item,
    table: () => [
      ...thingLines(thing, [item], invocation, now),
      ...(thing.below?.(item, invocation, now) ?? []),
    ],
    names: () => [`${thing.kind}/${thing.nameOf(item)}`],
  });
  sayNext(invocation, thing, [item], wish);
}

async function printList(
  invocation: Invocation,
  client: Client,
  thing: Thing<unknown>,
  wish: Wish,
): Promise<void> {
  const page = await readList(client, thing, wish);
  const { items } = page;
  await print(invocation, {
    value: page,
    table: () =>
      items.length === 0
        ? hanging(emptyText(thing, wish), invocation.width)
        : thingLines(thing, items, invocation, Date.now()),
    names: () => items.map((item) => `${thing.kind}/${thing.nameOf(item)}`),
  });
  if (page.next !== undefined) {
    invocation.say(
      `there are more ${thing.plural} than these ${items.length}: raise --limit, or name a --queue`,
    );
  }
  if (items.length === 0 && thing.whenEmpty && wish.queue === undefined && wish.since === undefined) {
    invocation.say(`next: ${thing.whenEmpty()}`);
  }
  sayNext(invocation, thing, items, wish);
}

function sayNext(invocation: Invocation, thing: Thing<unknown>, items: readonly unknown[], wish: Wish): void {
  const next = thing.next?.(items, placeOf(wish));
  if (next !== undefined) invocation.say(`next: ${next}`);
}
