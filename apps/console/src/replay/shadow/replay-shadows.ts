import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Plan, Resources } from '#contracts';
import type { DigestReplay, ShadowDifference, ShadowReplay } from '#contracts/api';
import { addCompared, noneCompared, type PlanOfLog } from '#replay';
import { ARCHIVE_PLACE, type ArchivePlace } from '../../archive/archive.module.js';
import { type Remake, RemakeInThread } from '../remake/remake-in-thread.js';
import { countPlans, overPlans, type PackedInput, replan } from '../remake/replanned.js';
import { settingsOf } from '../work/replay-request.js';
import type { ReplayContext, ReplayWork } from '../work/replay-work.js';

const differencesListed = 1000;
const notKeptListed = 100;

/** Reads recorded plans, from the log and from archives, and makes them again in a thread. */
abstract class ReplayPlans implements ReplayWork {
  readonly unit = 'plans';
  readonly count = countPlans;

  constructor(
    @Inject(ARCHIVE_PLACE) protected readonly archives: ArchivePlace,
    protected readonly remakes: RemakeInThread,
  ) {}

  protected readonly remake: Remake = (question) => this.remakes.replay(question);

  abstract run(db: DataSource, context: ReplayContext): Promise<unknown>;
}

/**
 * Plans each recorded run again from its recorded input, with other settings laid over the recorded ones, each policy with its own,
 * and reports the differences. Hypothetical only: nothing here can evict.
 */
@Injectable()
export class ReplayShadows extends ReplayPlans {
  async run(db: DataSource, context: ReplayContext): Promise<ShadowReplay> {
    const settings = context.request.settings ?? {};
    const found = (context.result as ShadowReplay | null) ?? nothingYet(settings);
    await overPlans(
      db,
      context,
      found,
      (recorded, packed) => this.compare(db, recorded, packed, found),
      this.archives.folder,
    );
    return found;
  }

  private async compare(
    db: DataSource,
    recorded: PlanOfLog,
    packed: PackedInput,
    found: ShadowReplay,
  ): Promise<void> {
    found.plans++;
    const { enforcement, queue, plan } = recorded;
    const given = settingsOf(plan.policy, found.settings);
    if (Object.keys(given).length === 0) {
      found.notConcerned = (found.notConcerned ?? 0) + 1;
      found.same++;
      add(found.recorded, plan);
      add(found.shadow, plan);
      return;
    }
    const made = await replan(
      db,
      { ...recorded, settings: { ...recorded.settings, ...given } },
      packed,
      this.remake,
    );
    if (made === 'not kept') {
      found.notKept.count++;
      if (found.notKept.first.length < notKeptListed) found.notKept.first.push(enforcement);
      return;
    }
    const shadow = 'plan' in made ? made.plan : { ...plan, victims: [] };
    const difference = differenceOf({ enforcement, queue }, plan, shadow);
    if ('because' in made) {
      const none =
        difference ?? differenceOf({ enforcement, queue }, plan, { ...shadow, outcome: 'skipped' })!;
      this.note(found, { ...none, shadowOutcome: null, because: made.because });
    } else if (difference) this.note(found, difference);
    else found.same++;
    add(found.recorded, plan);
    add(found.shadow, shadow);
  }

  private note(found: ShadowReplay, difference: ShadowDifference): void {
    found.differ++;
    found.added += difference.added;
    found.removed += difference.removed;
    if (found.different.length < differencesListed) found.different.push(difference);
  }
}

function add(sum: ShadowReplay['shadow'], plan: Parameters<typeof freed>[0]): void {
  sum.victims += plan.victims.length;
  sum.freed = plus(sum.freed, freed(plan));
}

function nothingYet(settings: Record<string, unknown>): ShadowReplay {
  return {
    settings,
    plans: 0,
    same: 0,
    differ: 0,
    different: [],
    notKept: { count: 0, first: [] },
    recorded: { victims: 0, freed: {} },
    shadow: { victims: 0, freed: {} },
    added: 0,
    removed: 0,
  };
}

const firstListed = 10;

/** @returns undefined if both have the same victims and the same outcome. */
export function differenceOf(
  { enforcement, queue }: { enforcement: string; queue: string },
  recorded: Plan,
  shadow: Plan,
): ShadowDifference | undefined {
  const added = without(shadow, recorded);
  const removed = without(recorded, shadow);
  if (added.length === 0 && removed.length === 0 && recorded.outcome === shadow.outcome) return undefined;
  return {
    enforcement,
    queue,
    outcome: recorded.outcome,
    shadowOutcome: shadow.outcome,
    victims: recorded.victims.length,
    shadowVictims: shadow.victims.length,
    added: added.length,
    removed: removed.length,
    addedFirst: added.slice(0, firstListed),
    removedFirst: removed.slice(0, firstListed),
    freedDifference: less(freed(shadow), freed(recorded)),
  };
}

function without(one: Plan, other: Plan): string[] {
  const there = new Set(other.victims.map(({ allocation }) => allocation));
  return one.victims.map(({ allocation }) => allocation).filter((allocation) => !there.has(allocation));
}

/** Amounts that the victims of a plan hold, in every type. */
function freed({ victims }: Pick<Plan, 'victims'>): Resources {
  return victims.reduce<Resources>((sum, { resources }) => plus(sum, resources), {});
}

/** Amounts sorted by name, capped at 2^53 - 1. */
function plus(one: Resources, other: Resources): Resources {
  return combined(one, other, (a, b) => Math.min(Number.MAX_SAFE_INTEGER, a + b));
}

export function less(one: Resources, other: Resources): Resources {
  const difference = combined(one, other, (a, b) => a - b);
  return Object.fromEntries(Object.entries(difference).filter(([, amount]) => amount !== 0));
}

function combined(one: Resources, other: Resources, of: (a: number, b: number) => number): Resources {
  const types = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return Object.fromEntries(types.map((type) => [type, of(one[type] ?? 0, other[type] ?? 0)]));
}

/** Recomputes each recorded plan from its recorded input, and compares the digests. */
@Injectable()
export class ReplayDigests extends ReplayPlans {
  async run(db: DataSource, context: ReplayContext): Promise<DigestReplay> {
    const found = (context.result as DigestReplay | null) ?? noneCompared();
    await overPlans(
      db,
      context,
      found,
      async (recorded, packed) =>
        addCompared(found, recorded, await replan(db, recorded, packed, this.remake)),
      this.archives.folder,
    );
    return found;
  }
}
