import { nameArgument } from '../input/arguments.js';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { print } from '../output/print.js';
import { hanging } from '../output/width.js';
import { resourceKinds } from '../resources/index.js';
import type { Listable } from '../resources/nouns.js';
import { readListed, readOne } from '../resources/read.js';
import {
  emptyText,
  firstShown,
  type ListFilter,
  type OwnFilter,
  ownFilters,
  type ResourceKind,
  resourceLines,
  withPartitions,
} from '../resources/resource-kind.js';
import { watch } from '../resources/watch.js';
import { assertPlace } from '../server/assert-place.js';
import { type Client, clientOf } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import { CommandError } from '../terminal/errors.js';
import { kindOfWord } from '../terminal/word-kind.js';
import { oneQueue } from './one-queue.js';

interface GetOptions extends ListFilter {
  watch?: boolean;
  all?: boolean;
}

export async function run(
  invocation: Invocation,
  { noun, name: behindSlash }: Listable,
  argument: string | undefined,
  { all = false, ...filters }: GetOptions,
): Promise<undefined> {
  if (behindSlash !== undefined && argument !== undefined) {
    throw new CommandError(`name one: curtail get ${noun} NAME`);
  }
  const kind = resourceKinds[noun];
  const given = behindSlash ?? (argument && nameArgument(kind.kind, kind.shortens ?? kind.kind)(argument));
  // `get events root.a` can only mean those of the queue: they have other names.
  const isQueue = given !== undefined && kindOfWord(given) === 'queue' && !namedByQueue.has(kind.kind);
  const name = isQueue ? undefined : given;
  const options = {
    ...filters,
    ...oneQueue(isQueue ? nameArgument('queue')(given).toLowerCase() : undefined, filters.queue),
    first: invocation.isForPeople && !all ? firstShown : undefined,
  };
  const resource = options.allPartitions ? withPartitions(kind) : kind;
  if (options.since !== undefined && (!resource.dated || name !== undefined)) {
    throw new CommandError(
      `--since is for the past: lists of enforcements, plans, events, notices, replays and configurations; leave it out here`,
    );
  }
  const foreign = ownFilters.find((own) => options[own] !== undefined && !resource.list.takes.includes(own));
  if (foreign !== undefined) {
    throw new CommandError(`--${foreign} is for ${filteredBy(foreign)}; leave it out here`);
  }
  const needs = resource.needsOneOf;
  if (needs?.every((own) => options[own] === undefined)) {
    throw new CommandError(`whose ${resource.plural}? Name ${needs.map((own) => `--${own}`).join(' or ')}`, {
      next: `see what there is: curtail get enforcements${placeOf(options)}`,
    });
  }
  if (name !== undefined && options.allPartitions) {
    throw new CommandError('--all-partitions is for lists; name the partition of one with --partition');
  }
  const client = clientOf(invocation);
  if (options.enforcement !== undefined) {
    options.enforcement = await fullName(client, 'enforcement', options.enforcement);
  }
  if (options.watch) {
    await watch(invocation, resource, {
      single: name !== undefined,
      empty: emptyText(resource, options),
      read: async (signal, isKnown) =>
        name === undefined
          ? (await readListed(client, resource, options, signal, isKnown)).items
          : [await readOne(client, resource, name, options, signal)],
    });
    return;
  }
  if (name !== undefined) await printOne(invocation, client, resource, name, options);
  else await printList(invocation, client, resource, options);
}

/** Kinds whose items have the names of queues. */
const namedByQueue = new Set(['queue', 'timer', 'pool', 'stop']);

const filteredBy = (filter: OwnFilter) =>
  Object.values(resourceKinds)
    .flatMap(({ plural, list }) => (list.takes.includes(filter) ? [plural] : []))
    .join(', ')
    .replace(/, ([^,]+)$/, ' and $1');

async function printOne(
  invocation: Invocation,
  client: Client,
  resource: ResourceKind<unknown>,
  name: string,
  filter: ListFilter,
): Promise<void> {
  const item = await readOne(client, resource, name, filter);
  const now = Date.now();
  await print(invocation, {
    value: item,
    table: () => [
      ...resourceLines(resource, [item], invocation, now),
      ...(resource.below?.(item, invocation, now) ?? []),
    ],
    names: () => [`${resource.kind}/${resource.nameOf(item)}`],
  });
  printNext(invocation, resource, [item], filter);
}

async function printList(
  invocation: Invocation,
  client: Client,
  resource: ResourceKind<unknown>,
  filter: ListFilter,
): Promise<void> {
  const page = await readListed(client, resource, filter);
  const { items } = page;
  if (items.length === 0 && !resource.everywhere && !filter.allPartitions)
    await assertPlace(invocation, filter.partition, filter.queue);
  await print(invocation, {
    value: page,
    table: () =>
      items.length === 0
        ? hanging(emptyText(resource, filter), invocation.width)
        : resourceLines(resource, items, invocation, Date.now()),
    names: () => items.map((item) => `${resource.kind}/${resource.nameOf(item)}`),
  });
  if (page.next !== undefined) {
    const isNarrower = filter.queue !== undefined || !resource.list.takes.includes('queue');
    const narrower = isNarrower ? '' : ', or name a --queue';
    invocation.report(
      `there are more ${resource.plural} than ${items.length === 1 ? 'this one' : `these ${items.length}`}: raise --limit${narrower}`,
    );
  }
  if (items.length === 0 && resource.whenEmpty && filter.queue === undefined && filter.since === undefined) {
    invocation.report(`next: ${resource.whenEmpty()}`);
  }
  if (items.length === 0 && filter.queue !== undefined) {
    invocation.report(`next: see which queues there are: curtail get queues${placeOf(filter)}`);
  }
  if (!filter.allPartitions) printNext(invocation, resource, items, filter);
}

function printNext(
  invocation: Invocation,
  resource: ResourceKind<unknown>,
  items: readonly unknown[],
  filter: ListFilter,
): void {
  const next = resource.next?.(items, placeOf(filter));
  if (next !== undefined) invocation.report(`next: ${next}`);
}
