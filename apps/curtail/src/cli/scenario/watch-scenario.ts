import { setTimeout as pause } from 'node:timers/promises';
import type { Element, Enforcement, Rounds } from '#api-client';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { exemptSentences } from '../output/foreseen-lines.js';
import { hanging } from '../output/width.js';
import { shownPolicy } from '../resources/plans.js';
import { CommandError } from '../terminal/errors.js';
import { roundLines } from './scenario-lines.js';
import type { ScenarioServer } from './scenario-server.js';

export const pollEveryMs = 250;
const patienceMs = 120_000;

/** The state of a partition before the configuration of its scenario is applied: only later runs and rounds are shown. */
export interface ScenarioStart {
  runs: ReadonlySet<string>;
  round: number;
  exempt: ReadonlySet<string>;
}

export async function startOfScenario(server: ScenarioServer): Promise<ScenarioStart> {
  const runs = new Set((await server.enforcements()).map(({ enforcement }) => enforcement));
  const last = await server.lastRound();
  return { runs, round: last?.round ?? 0, exempt: new Set(last?.exempt.map(({ name }) => name)) };
}

/** Shows a scenario while it runs, and detects its end. */
export class WatchScenario {
  private readonly shown: Set<string>;
  private readonly shownStatuses = new Map<string, string>();
  private policy: string | undefined;
  private saidThatSomeLeave = false;

  /** @param isRounds a policy with rounds is switched on. Without one, quotas alone are enforced. */
  constructor(
    private readonly server: ScenarioServer,
    private readonly partition: string,
    private readonly start: ScenarioStart,
    private readonly isRounds: boolean,
    private readonly invocation: Invocation,
    private readonly show: (...lines: string[]) => Promise<void>,
  ) {
    this.shown = new Set(start.runs);
  }

  /**
   * @returns the policy that ran.
   * @throws CommandError if the scenario does not end within two minutes, or its rounds fail.
   */
  async untilOver(): Promise<string | undefined> {
    const until = performance.now() + patienceMs;
    this.server.waitsUntil(until);
    for (;;) {
      await this.showStatuses();
      await this.showEndedRuns();
      const last = await this.server.lastRound();
      if (await this.isOver(last)) return this.isRounds ? last?.policy : this.policy;
      if (last?.failure)
        throw new CommandError(`the rounds of ${this.partition} fail: ${last.failure.message}`);
      if (performance.now() > until) throw this.tooLong(last);
      await pause(pollEveryMs);
    }
  }

  private async showStatuses(): Promise<void> {
    const news = statusLines(await this.server.elements(), this.shownStatuses);
    if (news.length > 0) await this.show('', ...news.flatMap((one) => hanging(one, this.invocation.width)));
  }

  private async showEndedRuns(): Promise<void> {
    for (const run of await this.endedRuns()) {
      this.shown.add(run.enforcement);
      this.policy = run.policy;
      await this.show('', ...roundLines(await this.server.explanation(run), this.invocation));
    }
  }

  /** Nothing is left to do, and no allocation is leaving; or all that is left to do was refused. */
  private async isOver(last: Rounds | undefined): Promise<boolean> {
    const applications = await this.server.applications();
    const leaving = applications.reduce((sum, application) => sum + application.leaving, 0);
    if (!(await this.isIdle(last))) return false;
    if (leaving > 0) {
      if (!this.saidThatSomeLeave)
        await this.show('', `${counted(leaving, 'allocation is', 'allocations are')} still leaving`);
      this.saidThatSomeLeave = true;
      return false;
    }
    if (!this.isRounds) return true;
    if (!shownPolicy(last?.policy).endsWhenNotNeeded || last?.plan?.outcome === 'not-needed') return true;
    const newlyExempt = (last?.exempt ?? []).filter(({ name }) => !this.start.exempt.has(name));
    if (newlyExempt.length === 0) return false;
    const sentences = exemptSentences({ exempt: newlyExempt });
    await this.show('', ...sentences.flatMap((sentence) => hanging(sentence, this.invocation.width)));
    return true;
  }

  /** All runs have ended and are shown, and none follows: the last round has no victims, or no clock of a quota is left. */
  private async isIdle(last: Rounds | undefined): Promise<boolean> {
    if (this.shown.size === this.start.runs.size) return false;
    const noneFollows = this.isRounds
      ? last?.state === 'over' &&
        last.notified === 0 &&
        last.plan?.victims === 0 &&
        (last.plannedRound ?? 0) > this.start.round
      : !(await this.server.hasTimers());
    return noneFollows && (await this.openRuns()) === 0 && (await this.endedRuns()).length === 0;
  }

  /** Rounds, or else runs that a quota needed, that have ended and were not shown yet, oldest first. */
  private async endedRuns(): Promise<Enforcement[]> {
    const isWanted = ({ round, outcome }: Enforcement) =>
      this.isRounds ? round !== null : round === null && outcome !== 'not-needed';
    return (await this.server.enforcements())
      .filter((run) => isWanted(run) && run.state === 'ended' && !this.shown.has(run.enforcement))
      .sort((a, b) => (a.round ?? 0) - (b.round ?? 0) || (a.updatedAt < b.updatedAt ? -1 : 1));
  }

  private async openRuns(): Promise<number> {
    const runs = await this.server.enforcements();
    return runs.filter(({ round, state }) => (round !== null) === this.isRounds && state !== 'ended').length;
  }

  private tooLong(last: Rounds | undefined): CommandError {
    const exempt = exemptSentences(last ?? { exempt: [] }).map((sentence) => `\n${sentence}`);
    return new CommandError(`the scenario did not end within ${patienceMs / 1000} s${exempt.join('')}`, {
      next: `check its state: curtail get ${this.isRounds ? 'rounds' : 'enforcements'} --partition ${this.partition}`,
    });
  }
}

/** Pools and operations that fell below a fair share, starve, or have recovered since the last call; `shown` keeps each printed status. */
function statusLines(elements: readonly Element[], shown: Map<string, string>): string[] {
  return elements.flatMap((element) => {
    const key = `${element.kind} ${element.name}`;
    const state = element.starvation === 'non_starving' ? element.status : element.starvation;
    const before = shown.get(key) ?? 'normal';
    if (state === before) return [];
    shown.set(key, state);
    return [
      `${key}: ${words(before)} -> ${words(state)} (has ${percent(element.usageShare)} of its ${percent(element.fairShare)})`,
    ];
  });
}

const words = (state: string) => state.replaceAll('_', ' ');
const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;
