import {
  isRound,
  type OpeningTerms,
  type PlannedVictim,
  type RunState,
  runPolicyOf,
  type Stop,
} from '@curtail/enforcement';
import type { Tx } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import type { RunLog } from '../run-log.js';
import {
  type Effect,
  type GivenUpRun,
  ROUND_HOOKS,
  type RoundHooks,
  type SettledVictim,
} from './round-hooks.js';

/**
 * What a round does beside what every run does, as its policy has it. The tables of rounds change only together with the event that says
 * so; the next round begins when the last of them has committed.
 */
@Injectable()
export class RoundSteps {
  private readonly hooks: ReadonlyMap<string, RoundHooks>;

  constructor(@Inject(ROUND_HOOKS) hooks: readonly RoundHooks[]) {
    this.hooks = new Map(hooks.map((one) => [one.policy, one]));
  }

  /** Opens the round: who is notified, waits or is killed is decided here, once. */
  open(run: RunLog, terms: OpeningTerms, stops: readonly Stop[]): Promise<void> {
    return this.of(run.state).open(run, terms, stops);
  }

  notify(run: RunLog, victims: PlannedVictim[], at: Date): Promise<void> {
    return this.of(run.state).notify(run, victims, at);
  }

  /** Before the next victim; nothing where no approval was wanted. */
  async approved(run: RunLog): Promise<void> {
    if (isRound(run.state) && run.state.opened?.needsApproval) await this.of(run.state).approved(run);
  }

  /** What the end of a run changes beside the log, if it is that of a round. */
  async effectOfEnd(run: RunLog, at: Date): Promise<Effect | undefined> {
    return isRound(run.state) ? this.of(run.state).effectOfEnd(run, at) : undefined;
  }

  /** @param settled all victims of a round. */
  async leaveGivenUp(tx: Tx, run: GivenUpRun, settled: readonly SettledVictim[]): Promise<void> {
    if (runPolicyOf(run.policy).isRound) await this.named(run.policy).leaveGivenUp(tx, run, settled);
  }

  private of({ planned }: RunState): RoundHooks {
    if (!planned) throw new Error('a round without a plan cannot be carried out');
    return this.named(planned.plan.policy);
  }

  private named(policy: string): RoundHooks {
    const hooks = this.hooks.get(policy);
    if (!hooks) throw new Error(`rounds of the policy ${policy} cannot be carried out: it has no hooks`);
    return hooks;
  }
}
