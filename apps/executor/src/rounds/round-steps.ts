import { CLUSTER_DRIVER, type ClusterDriver } from '@curtail/clusters';
import { BrokenInvariant } from '@curtail/contracts';
import {
  isRound,
  type OpeningTerms,
  type PlannedVictim,
  type RunState,
  runPolicies,
  type Stop,
  type VictimFacts,
} from '@curtail/enforcement';
import type { Tx } from '@curtail/event-store';
import {
  type Effect,
  type GivenUpRun,
  type Places,
  type RoundPolicy,
  releaseRounds,
  roundPolicies,
  type SettledVictim,
} from '@curtail/rounds';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RunLog } from '../runs/run-log.js';

/** The steps that only runs of rounds have: each policy in its own way (`RoundPolicy`), and the release of the round at the end. */
@Injectable()
export class RoundSteps {
  private readonly places: Places;

  constructor(@Inject(DataSource) db: DataSource, @Inject(CLUSTER_DRIVER) cluster: ClusterDriver) {
    this.places = { db, cluster };
  }

  async open(run: RunLog, terms: OpeningTerms, stops: readonly Stop[]): Promise<void> {
    await policyOf(run.state).open(this.places, run, terms, stops);
  }

  async notify(run: RunLog, victims: readonly PlannedVictim[], at: Date): Promise<void> {
    await policyOf(run.state).notify(this.places, run, victims, at);
  }

  /** Before the first kill, if the run is that of a round. */
  async beforeKills({ state }: RunLog): Promise<void> {
    if (isRound(state)) await policyOf(state).beforeKills?.(this.places, state);
  }

  /** The facts of each of the victims, with those that only the policy of the run needs. */
  async withOwnFacts(
    { state }: RunLog,
    victims: readonly PlannedVictim[],
    facts: VictimFacts[],
  ): Promise<VictimFacts[]> {
    const policy = isRound(state) ? policyOf(state) : undefined;
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

  /** The changes outside the log at the end of a run, if it is that of a round. */
  async effectOfEnd({ state }: RunLog, at: Date): Promise<Effect | undefined> {
    const { planned } = state;
    if (!planned || !isRound(state)) return undefined;
    const effect = await policyOf(state).atEnd(this.places, state, at);
    return async (tx) => {
      await effect(tx);
      await releaseRounds(tx, [planned.enforcement]);
    };
  }

  /**
   * The same for a run that was not loaded (`GiveUp`).
   *
   * @param settled all victims.
   */
  async leaveGivenUp(tx: Tx, run: GivenUpRun, settled: readonly SettledVictim[]): Promise<void> {
    if (!runPolicies.of(run.policy).isRound) return;
    await roundPolicies.of(run.policy).atGivingUp(tx, run, settled);
    await releaseRounds(tx, [run.enforcement]);
  }
}

function policyOf({ planned }: RunState): RoundPolicy {
  if (!planned) throw new BrokenInvariant('a round without a plan cannot be carried out');
  return roundPolicies.of(planned.plan.policy);
}
