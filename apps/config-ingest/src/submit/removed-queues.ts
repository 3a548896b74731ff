import type { ClusterReader } from '#clusters';
import { amountText, CurtailError, counted } from '#contracts';
import { ProblemException } from '#platform';
import { pathsWithout, similarQueues } from './similar-names.js';
import type { Removes } from './submission.js';

/** Queues that an answer lists, with the work in each. */
const listedAtMost = 100;

/** A configuration lacks queues of the one in force, and its sender does not accept that. */
export class QueuesWouldBeRemoved extends CurtailError {
  readonly code = 'queues-would-be-removed';

  constructor(
    readonly queues: readonly string[],
    /** New queues with nearly the name of a removed one, by the removed one. */
    readonly similar: ReadonlyMap<string, string>,
    /** The configuration in force. */
    readonly version: number,
    /** How many allocations each of them holds, with all below it; queues without any are missing. */
    readonly held: ReadonlyMap<string, number>,
    /** Only queues that hold work were to be kept, and `queues` are these. */
    readonly withWork: boolean,
  ) {
    super(
      `${counted(queues.length, withWork ? 'queue that holds work' : 'queue', withWork ? 'queues that hold work' : 'queues')} would be removed`,
    );
  }
}

type Queues = readonly { path: string }[];

/**
 * @param removes which queues of the configuration in force the next one may lack.
 * @param heldIn how many allocations are in each of these queues and below.
 * @throws QueuesWouldBeRemoved if it lacks others.
 */
export async function assertMayRemove(
  removes: Exclude<Removes, 'all'>,
  { before, after, version }: { before: Queues; after: Queues; version: number },
  heldIn: (queues: string[]) => Promise<Map<string, number>>,
): Promise<void> {
  const removed = pathsWithout(before, after).sort();
  if (removed.length === 0) return;
  const held = await heldIn(removed);
  const kept = removes === 'none' ? removed : removed.filter((path) => held.has(path));
  if (kept.length === 0) return;
  const similar = similarQueues(before, after);
  throw new QueuesWouldBeRemoved(kept, similar, version, held, removes === 'empty');
}

/** The refusal, with what runs in each queue, and the version in force, with which the sender can confirm. */
export async function removalRefused(
  cluster: Pick<ClusterReader, 'usage'>,
  partition: string,
  { queues, similar, version, held, message }: QueuesWouldBeRemoved,
): Promise<ProblemException> {
  const listed = queues.slice(0, listedAtMost);
  const usage = await cluster.usage(partition, listed);
  const unlisted = queues.length - listed.length;
  return new ProblemException({
    code: 'queues-would-be-removed',
    title: 'Queues would be removed',
    status: 409,
    detail: `${message} from partition ${partition}, and nothing was changed. A removed queue has no quota and no guaranteed amount; its work continues.`,
    remedy:
      'Add the queues to the configuration, or confirm that they go: curtail apply --yes, or the request with removeQueues=true.',
    errors: [
      ...listed.map((queue) => {
        const other = similar.get(queue);
        const misspelt = other === undefined ? '' : `; ${other} is new: is its name right?`;
        return {
          path: queue,
          message: `${workIn(held.get(queue) ?? 0, usage.get(queue)?.usage ?? {})}${misspelt}`,
        };
      }),
      ...(unlisted > 0 ? [{ path: '', message: `${counted(unlisted, 'more queue')} would be removed` }] : []),
    ],
    version,
  });
}

function workIn(allocations: number, usage: Readonly<Record<string, number>>): string {
  if (allocations === 0) return 'would be removed; no work runs there';
  const used = Object.entries(usage).filter(([, amount]) => amount > 0);
  if (used.length === 0)
    return `would be removed; ${counted(allocations, 'allocation runs there', 'allocations run there')}`;
  return `would be removed; work runs there that uses ${used.map(([type, amount]) => amountText(type, amount)).join(', ')}`;
}
