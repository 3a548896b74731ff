import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLUSTER_DRIVER, type ClusterDriver } from '#clusters';
import { CurtailError, InputError, isWithin, totalOfAllocations } from '#contracts';
import { type LiveQueue, type Step, type VictimFacts } from '#enforcement';
import type { StatusOfControl } from './run-control.js';

const logEveryMs = 60_000;

type Check = Extract<Step, { kind: 'check' }>;

/** The size of the cluster is not known, and an amount follows from it. */
class SizeUnknown extends CurtailError {
  readonly code = 'size-unknown';
}

/**
 * Gathers the facts about victims right before they are killed: whether they still run, and the usage of the queues
 * where it plays a part: the enforced queue, and those with a guaranteed amount. Adding up the usage of the others,
 * such as root with all that the cluster runs, would be wasted work; for a round so would the usage of any queue.
 */
@Injectable()
export class FindVictimFacts {
  private readonly log = new Logger('Executor');
  /** By partition, by `performance.now()`. */
  private readonly loggedAt = new Map<string, number>();

  constructor(@Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver) {}

  /** @param alongside further reads, which are sent together with those of the cluster. */
  async of(
    { partition, queue: enforced }: { partition: string; queue: string },
    { victims, beside, queues, evictionId }: Check,
    { guaranteed, running, unknownFloor }: Pick<StatusOfControl, 'guaranteed' | 'running' | 'unknownFloor'>,
    isOfRound: boolean,
    alongside: () => Promise<unknown> = async () => undefined,
  ): Promise<VictimFacts[]> {
    const counted = isOfRound ? [] : queues.filter((path) => path === enforced || guaranteed.has(path));
    try {
      // First: it waits for reports on their way, because reads before they are applied would be outdated.
      await this.cluster.assertKnown?.(partition);
      if (unknownFloor !== undefined && !isOfRound) {
        throw new SizeUnknown(`no nodes are known, so the guaranteed amount of ${unknownFloor} is unknown`);
      }
      this.loggedAt.delete(partition);
      const [allocations, usage, mates, openUntil, carriedOut, unanswered, requested] = await Promise.all([
        Promise.all(victims.map(({ allocation }) => this.cluster.allocation(partition, allocation))),
        this.cluster.usage(partition, counted),
        Promise.all(
          beside.map(
            async (mate) => [mate.rank, await this.cluster.allocation(partition, mate.allocation)] as const,
          ),
        ),
        evictionId === undefined ? undefined : this.cluster.openUntil?.(evictionId),
        evictionId === undefined ? undefined : this.cluster.carriedOut(evictionId),
        evictionId === undefined ? undefined : this.cluster.unanswered?.(evictionId),
        counted.length === 0 ? undefined : this.cluster.requested?.(partition),
        alongside(),
      ]);
      const live = queues.map((path): [string, LiveQueue] => {
        const floor = guaranteed.get(path);
        const used = usage.get(path) ?? { usage: {}, inFlight: {} };
        const asked = (requested ?? []).filter(
          (other) => other.evictionId !== evictionId && isWithin(other.queue, path),
        );
        return [
          path,
          {
            ...used,
            ...(floor ? { guaranteed: floor } : {}),
            ...(asked.length > 0 && { notYetLeaving: totalOfAllocations(asked) }),
            enforcing: running.includes(path),
          },
        ];
      });
      const shared = {
        queues: new Map(live),
        beside: new Map(mates),
        ...(openUntil && { openUntil: openUntil.toISOString() }),
        ...(carriedOut !== undefined && { carriedOut }),
        ...(unanswered !== undefined && { unanswered }),
      };
      return victims.map(({ rank }, i) => ({ rank, allocation: allocations[i], ...shared }));
    } catch (error) {
      const why = (error as Error).message;
      this.logWaiting(partition, why);
      return victims.map(({ rank }) => ({ rank, unreachable: why }));
    }
  }

  /** Why the cluster is unknown, a clause without a full stop; undefined: it is known. */
  async whyUnknown(partition: string): Promise<string | undefined> {
    try {
      await this.cluster.assertKnown?.(partition);
      return undefined;
    } catch (error) {
      if (error instanceof InputError) return error.message;
      throw error;
    }
  }

  private logWaiting(partition: string, why: string): void {
    const now = performance.now();
    if (now - (this.loggedAt.get(partition) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return;
    this.loggedAt.set(partition, now);
    this.log.warn('Runs wait before their next eviction.', { partition, reason: why });
  }
}
