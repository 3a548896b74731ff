import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLUSTER_DRIVER, type ClusterDriver, type EvictionBasis, type Withheld } from '#clusters';
import { chainFromRoot, type Limit } from '#contracts';
import { type Eviction, killsWithGrace, type PlannedRun, recordAnswer, unitOf } from '#enforcement';
import type { OpenRun } from '#runs';
import { EvictionGates, holdLost } from './eviction-gate.js';
import type { StatusOfControl } from './run-control.js';
import { OpenRuns } from './runs/open-runs.js';
import type { RunLog } from './runs/run-log.js';

/** The result of a kill, which decides how the run continues. */
export type Sent = 'answered' | 'lost' | Withheld;

/** Requests evictions from the cluster, each through the gate of its run. */
@Injectable()
export class SendEvictions {
  private readonly log = new Logger('Executor');

  constructor(
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
    private readonly gates: EvictionGates,
    private readonly openRuns: OpenRuns,
  ) {}

  /**
   * Requests the eviction of one victim, whose order is on record, and notes the answer.
   *
   * @returns `lost` if the answer was lost: the order stays open, and the cluster is asked before anything else is
   * done. Or the reason why nothing was requested; then the order stays open too.
   */
  async send(run: RunLog, held: OpenRun, kill: Eviction, status: StatusOfControl): Promise<Sent> {
    const { now, control } = status;
    const { partition, rank, allocation, uid, evictionId, reason } = kill;
    const { opened, planned } = run.state;
    const fencingToken = opened?.fencingToken ?? held.fencingToken;
    const victim = planned?.plan.victims[rank - 1];
    const victimQueue = victim?.queue ?? held.queue;
    const unit = victim ? unitOf(run.state, victim).map((of) => of.allocation) : [allocation];
    const about = { partition, queue: victimQueue, enforcement: held.enforcement, allocation };
    const request = {
      partition,
      allocation,
      ...(uid === undefined ? {} : { uid }),
      graceSeconds: killsWithGrace(run.state, rank) ? status.settingsOf(victimQueue).graceSeconds : 0,
      evictionId,
      fencingToken,
      reason,
      ...(planned && { basis: basisOf(planned, run.state.judgedBy ?? run.state.fired, victimQueue, status) }),
    };
    try {
      const answer = await this.gates.through(
        {
          run: held,
          evictionId,
          victimQueue,
          together: unit,
          openedAt: opened?.openedAt,
          fencingToken,
          commands: run.commands,
          version: run.recordedVersion,
        },
        (gate) => this.cluster.evict(request, gate),
      );
      if (answer.kind === 'withheld') {
        this.log.warn('Did not request an eviction.', {
          ...about,
          code: answer.code,
          reason: answer.message,
        });
        if (answer.code === holdLost) this.openRuns.doubtHold(held.enforcement);
        return answer;
      }
      run.note(recordAnswer(run.state, now().toISOString(), kill, answer, control));
      return 'answered';
    } catch (error) {
      this.log.warn('The outcome of an eviction is not known yet; asking again.', { ...about, err: error });
      return 'lost';
    }
  }
}

/**
 * How a run continues after the kills of a page.
 *
 * @param withheldBefore eviction ids of kills that were withheld; those of now are added.
 */
export function afterKills(
  kills: readonly Eviction[],
  sent: readonly Sent[],
  withheldBefore: Set<string>,
): 'go-on' | 'hold-lost' | 'ask-later' | 'check-again' {
  const withheld = sent.flatMap((how, i) =>
    typeof how === 'object' ? [{ code: how.code, evictionId: kills[i]!.evictionId }] : [],
  );
  if (withheld.some(({ code }) => code === holdLost)) return 'hold-lost';
  if (sent.includes('lost')) return 'ask-later';
  if (withheld.some(({ evictionId }) => withheldBefore.has(evictionId))) return 'ask-later';
  for (const { evictionId } of withheld) withheldBefore.add(evictionId);
  return withheld.length > 0 ? 'check-again' : 'go-on';
}

/** What a platform can judge an eviction by: guaranteed amounts as the check of the victim read them. */
function basisOf(
  { takenAt, queue }: Pick<PlannedRun, 'takenAt' | 'queue'>,
  { max }: Limit,
  victimQueue: string,
  { guaranteed }: StatusOfControl,
): EvictionBasis {
  const floors = chainFromRoot(victimQueue).flatMap((path) => {
    const amounts = guaranteed.get(path);
    return amounts && Object.keys(amounts).length > 0 ? [{ queue: path, guaranteed: amounts }] : [];
  });
  return { takenAt, ...(max !== null && { quota: { queue, max } }), ...(floors.length > 0 && { floors }) };
}
