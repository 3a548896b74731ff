import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Clock, DatabaseClock, WakeListener } from '#event-store';
import { Metrics } from '#platform';
import { RoundLost, renewPlanning, roundPolicies, roundsWake, takeRound } from '#rounds';
import { type Worker } from '#runtime';
import { Wakeable, whileRenewing } from '#waiting';
import { PlanRound } from './plan-round.js';

/** The delay until a round is found whose wake-up was lost: only a crash between a commit and its announcement loses one. */
const checkEveryMs = 5000;
const afterFailureMs = 1000;
const renewEveryMs = 5000;

/**
 * The running part of the rounds: plans waiting rounds one after the other, woken when one begins. Any number of
 * processes do so; each round belongs to one process. If that process crashes, the round is given up when its lease
 * expires.
 */
@Injectable()
export class PlanRounds implements Worker {
  private readonly log = new Logger('Planner');
  private loop: Promise<void> | undefined;
  private stopping = false;
  private readonly waker = new Wakeable();
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly db: DataSource,
    private readonly wake: WakeListener,
    private readonly planRound: PlanRound,
    private readonly metrics: Metrics,
    @Inject(DatabaseClock) private readonly clock: Clock,
  ) {}

  async start(): Promise<void> {
    this.stopListening = this.wake.onWake((topics) => {
      if (topics.includes(roundsWake) || topics.length === 0) this.waker.wake();
    });
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.stopListening?.();
    this.waker.wake();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.waker.forget();
      try {
        let more = true;
        while (more && !this.stopping) {
          more = false;
          // No policy waits for all rounds of another one.
          for (const { name } of roundPolicies) more = (await this.planNext(name)) || more;
        }
        await this.waker.sleep(checkEveryMs);
      } catch (error) {
        this.log.warn('Could not plan a round; continuing with the next.', { err: error });
        await this.waker.sleep(afterFailureMs);
      }
    }
  }

  private async planNext(policy: string): Promise<boolean> {
    const round = await takeRound(this.db, policy);
    if (!round) return false;
    try {
      const result = await whileRenewing(
        renewEveryMs,
        () => renewPlanning(this.db, round),
        () => this.planRound.plan(round),
      );
      this.metrics.rounds.planned(
        policy,
        result,
        Math.max(0, this.clock.now().getTime() - round.dueAt.getTime()) / 1000,
      );
    } catch (error) {
      if (!(error instanceof RoundLost)) throw error;
      this.log.warn('Another planner took over a round during its planning.', { policy, err: error });
    }
    return true;
  }
}
