import type { ClusterReader } from '@curtail/clusters';
import { amountText, CurtailError, counted } from '@curtail/contracts';
import { ProblemException } from '@curtail/platform';
import { pathsWithout, similarQueues } from './similar-names.js';

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
  ) {
    super(`${counted(queues.length, 'queue')} would be removed`);
  }
}

/** @throws QueuesWouldBeRemoved if the configuration in force has queues that the next one lacks. */
export function assertNoneRemoved(
  before: readonly { path: string }[],
  after: readonly { path: string }[],
  version: number,
): void {
  const removed = pathsWithout(before, after);
  if (removed.length > 0)
    throw new QueuesWouldBeRemoved(removed.sort(), similarQueues(before, after), version);
}

/** The refusal, with what runs in each queue, and the version in force, with which the sender can confirm. */
export async function removalRefused(
  cluster: Pick<ClusterReader, 'usage'>,
  partition: string,
  { queues, similar, version, message }: QueuesWouldBeRemoved,
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
      'Add the queues to the configuration, or confirm that they go: curtail apply --yes, or the request without removeQueues=false.',
    errors: [
      ...listed.map((queue) => {
        const other = similar.get(queue);
        const misspelt = other === undefined ? '' : `; ${other} is new: is its name right?`;
        return { path: queue, message: `${workIn(usage.get(queue)?.usage ?? {})}${misspelt}` };
      }),
      ...(unlisted > 0 ? [{ path: '', message: `${counted(unlisted, 'more queue')} would be removed` }] : []),
    ],
    version,
  });
}

function workIn(usage: Readonly<Record<string, number>>): string {
  const used = Object.entries(usage).filter(([, amount]) => amount > 0);
  if (used.length === 0) return 'would be removed; no work runs there';
  return `would be removed; work runs there that uses ${used.map(([type, amount]) => amountText(type, amount)).join(', ')}`;
}
