import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_DRIVER, type ClusterDriver } from '#clusters';
import { BrokenInvariant } from '#contracts';
import {
  isRound,
  type OpeningTerms,
  openRun,
  type PlannedVictim,
  type RunState,
  type Stop,
  type VictimFacts,
} from '#enforcement';
import type { Tx } from '#event-store';
import {
  type Effect,
  type GivenUpRun,
  type Places,
  type RoundPolicy,
  releaseRounds,
  roundPolicies,
  type SettledVictim,
} from '#rounds';
import type { RunLog } from '../runs/run-log.js';

/**
 * The steps of a run in which a round differs: each policy has its own way (`RoundPolicy`), and the end releases the round. A run that
 * is no round has none of them, and is opened as it is.
 */
@Injectable()
export class RoundSteps {
  private readonly places: Places;

  constructor(db: DataSource, @Inject(CLUSTER_DRIVER) cluster: ClusterDriver) {
    this.places = { db, cluster };
  }

  async open(run: RunLog, terms: OpeningTerms, stops: readonly Stop[]): Promise<void> {
    const policy = policyOf(run.state);
    if (policy) await policy.open(this.places, run, terms, stops);
    else run.note([openRun(run.state, terms)]);
  }

  async notify(run: RunLog, victims: readonly PlannedVictim[], at: Date): Promise<void> {
    const policy = policyOf(run.state);
    if (!policy) throw new BrokenInvariant('only the victims of a round are notified');
    await policy.notify(this.places, run, victims, at);
  }

  /** Before the first kill. */
  async beforeKills({ state }: RunLog): Promise<void> {
    await policyOf(state)?.beforeKills?.(this.places, state);
  }

  /** The facts of each of the victims, with those that only the policy of the run needs. */
  async withOwnFacts(
    { state }: RunLog,
    victims: readonly PlannedVictim[],
    facts: VictimFacts[],
  ): Promise<VictimFacts[]> {
    const policy = policyOf(state);
    if (!policy?.ownFacts) return facts;
    const partition = state.planned?.partition ?? '';
    return Promise.all(
      facts.map(async (found, i): Promise<VictimFacts> => {
        if ('unreachable' in found) return found;
        try {
          const own = await policy.ownFacts?.(this.places, victims[i]!, partition);
          return own ? { ...found, own } : found;
        } catch (error) {
          return { rank: found.rank, unreachable: (error as Error).message };
        }
      }),
    );
  }

  /** The changes outside the log at the end of a run. */
  async effectOfEnd({ state }: RunLog, at: Date): Promise<Effect | undefined> {
    const policy = policyOf(state);
    if (!policy) return undefined;
    const effect = await policy.atEnd(this.places, state, at);
    return async (tx) => {
      await effect(tx);
      await releaseRounds(tx, [state.planned!.enforcement]);
    };
  }

  /**
   * The same for a run that was not loaded (`GiveUp`).
   *
   * @param settled all victims.
   */
  async leaveGivenUp(tx: Tx, run: GivenUpRun, settled: readonly SettledVictim[]): Promise<void> {
    const policy = roundPolicies.find(run.policy);
    if (!policy) return;
    await policy.atGivingUp(tx, run, settled);
    await releaseRounds(tx, [run.enforcement]);
  }
}

/** Undefined: the run is no round. @throws BrokenInvariant for a policy that this process does not know. */
function policyOf(state: RunState): RoundPolicy | undefined {
  return isRound(state) ? roundPolicies.of(state.planned!.plan.policy) : undefined;
}
