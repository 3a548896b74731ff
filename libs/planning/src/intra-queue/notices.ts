import { counted, type Notice, ofQueue } from '#contracts';
import { type AmountTexts, instantText } from '../writing/texts.js';
import { type AmountTable, isZero, minus, plus, type TypeAmounts } from './amounts.js';
import type { QueuePlan } from './queue-plan.js';
import type { InQueueRound } from './round.js';

/** The notices of a queue that was planned, one per code: docs/reference/policies/intra-queue.md §10. */
export function queueNotices(round: InQueueRound, plan: QueuePlan, texts: AmountTexts): Notice[] {
  const { path } = plan.shares.leaf;
  const found = new QueueNotices(round, plan, texts).all();
  const notices = found.map(([code, text]) => ({ code, message: `${path}: ${text}`, about: ofQueue(path) }));
  if (notices.length > 0 || plan.outcome !== 'not-needed') return notices;
  return [
    {
      code: 'no-inversion',
      message: `${path}: ${waitingText(round, plan)}, and no less entitled application holds what they are entitled to.`,
      about: ofQueue(path),
    },
  ];
}

function waitingText(
  { arithmetic: { width }, pending }: InQueueRound,
  { shares: { ranked } }: QueuePlan,
): string {
  const waiting = ranked.filter((application) => !isZero(pending, application * width, width)).length;
  return `${waiting} of ${ranked.length} applications ${waiting === 1 ? 'waits' : 'wait'}`;
}

type Found = [code: string, text: string];

class QueueNotices {
  constructor(
    private readonly round: InQueueRound,
    private readonly plan: QueuePlan,
    private readonly texts: AmountTexts,
  ) {}

  all(): Found[] {
    return [
      ...this.freedRoom(),
      ...this.ceilings(),
      ...this.deadZone(),
      ...this.needLeft(),
      ...this.needAboveLimit(),
      ...this.conservative(),
      ...this.cooling(),
      ...this.unfit(),
      ...this.whatIsThere(),
      ...this.outcome(),
    ];
  }

  private list(amounts: TypeAmounts): string {
    return this.texts.list(this.round.arithmetic.names, amounts);
  }

  private id(allocation: number): string {
    return this.round.snapshot.allocations.ids[allocation]!;
  }

  private application(rank: number): string {
    return this.round.snapshot.applications.ids[this.plan.shares.ranked[rank]!]!;
  }

  private priority(rank: number): number {
    return this.round.snapshot.applications.priority[this.plan.shares.ranked[rank]!]!;
  }

  private userOf(rank: number): number {
    return this.round.userOf[this.plan.shares.ranked[rank]!]!;
  }

  /** Of one user, from a table of all. */
  private ofUser(table: AmountTable, user: number): string {
    return this.list(this.round.arithmetic.row(table, user));
  }

  private freedRoom(): Found[] {
    const { covered } = this.plan.shares.ideals;
    if (isZero(covered)) return [];
    return [
      [
        'freed-room',
        `${this.list(covered)} that was freed lately is not taken yet, and counts for those that wait.`,
      ],
    ];
  }

  private ceilings(): Found[] {
    const { demand, full, ceiling } = this.plan.shares;
    const { settings, arithmetic } = this.round;
    const { pastRound } = this.plan.taken;
    const found: Found[] = [];
    const held = arithmetic.isMore(full, demand);
    if (held && ceiling.of === 'queue') {
      found.push([
        'queue-ceiling',
        `one round takes at most ${this.list(ceiling.amount)} of it, ${settings.maxAllowableLimit} of what it is guaranteed; ${this.list(full)} would be wanted.`,
      ]);
    }
    if (held && ceiling.of === 'round') {
      const tail =
        pastRound.count === 0
          ? ''
          : `; ${this.id(pastRound.first)} was the first that did not fit what was left of it`;
      found.push([
        'round-ceiling',
        `what is left of the round is ${this.list(ceiling.amount)} with what is in flight, of ${settings.totalPreemptionPerRound} of the cluster for all queues; ${this.list(full)} would be wanted${tail}.`,
      ]);
    } else if (pastRound.count > 0) {
      found.push([
        'round-ceiling',
        `${counted(pastRound.count, 'allocation does', 'allocations do')} not fit what is left of the round, ${this.list(this.round.left)} in the end, first ${this.id(pastRound.first)}.`,
      ]);
    }
    return found;
  }

  private isNeedLeft(): boolean {
    const { arithmetic } = this.round;
    const { needLeft } = this.plan.shares.matching;
    for (let at = 0; at < needLeft.length; at += arithmetic.width) {
      if (arithmetic.isAboveZero(needLeft, at)) return true;
    }
    return false;
  }

  private deadZone(): Found[] {
    const { atLimit } = this.plan.taken;
    const { users } = this.plan.shares.leaf;
    const [first] = atLimit;
    if (first !== undefined) {
      const [user, { has, next }] = first;
      const others = atLimit.size === 1 ? '' : `; so it is with ${atLimit.size - 1} more`;
      return [
        [
          'dead-zone',
          `user ${users.names[user]} keeps ${this.list(has)} of a limit of ${this.ofUser(users.limit, user)}: without ${this.id(next)} it would not be above it${others}.`,
        ],
      ];
    }
    const { keptBack } = this.plan.shares.offers;
    if (keptBack.length === 0 || !this.isNeedLeft()) return [];
    return [
      [
        'dead-zone',
        `${this.application(keptBack[0]!)}${keptBack.length === 1 ? ' has' : ` and ${keptBack.length - 1} more have`} no more to spare than the ${this.list(this.round.minimumAllocation)} that are kept back.`,
      ],
    ];
  }

  private needLeft(): Found[] {
    if (!this.isNeedLeft()) return [];
    const { leaf, ranked, matching } = this.plan.shares;
    const { arithmetic } = this.round;
    const found: Found[] = [];
    if (leaf.policy === 'userlimit-first' && !leaf.users.isOver.includes(1)) {
      const { names, used, limit } = leaf.users;
      const most = this.mostAboveLimit();
      found.push([
        'nobody-over',
        `no user is above its limit; nearest is ${names[most]} with ${this.ofUser(used, most)} of ${this.ofUser(limit, most)}.`,
      ]);
    }
    const offering = this.offeringByUser();
    for (let rank = 0; rank < ranked.length; rank++) {
      if (!arithmetic.isAboveZero(matching.needLeft, rank * arithmetic.width)) continue;
      const priority = this.priority(rank);
      const other = offering[this.userOf(rank)]?.findLast(
        (offers) => offers !== rank && this.priority(offers) >= priority,
      );
      if (other === undefined) continue;
      const needLeft = arithmetic.row(matching.needLeft, rank);
      found.push([
        'equal-priority',
        `${this.application(rank)} (priority ${priority}) still lacks ${this.list(needLeft)}; ${this.application(other)} of the same user has priority ${this.priority(other)}, and inside a user only lower priority gives.`,
      ]);
      break;
    }
    return found;
  }

  private mostAboveLimit(): number {
    const { arithmetic } = this.round;
    const { count, excess } = this.plan.shares.leaf.users;
    let most = 0;
    for (let user = 1; user < count; user++) {
      const isMore =
        arithmetic.compareRows(excess, user * arithmetic.width, excess, most * arithmetic.width) > 0;
      if (isMore) most = user;
    }
    return most;
  }

  /** The ranks of the applications of each user that offer something, the most entitled first. */
  private offeringByUser(): (number[] | undefined)[] {
    const { ranked, offers } = this.plan.shares;
    const { arithmetic } = this.round;
    const offering: (number[] | undefined)[] = [];
    for (let rank = 0; rank < ranked.length; rank++) {
      if (!arithmetic.isAboveZero(offers.offer, rank * arithmetic.width)) continue;
      const user = this.userOf(rank);
      offering[user] ??= [];
      offering[user].push(rank);
    }
    return offering;
  }

  private needAboveLimit(): Found[] {
    const { ranked, ideals, leaf } = this.plan.shares;
    if (this.plan.taken.victims.length > 0 || ideals.cutByLimit < 0) return [];
    const { arithmetic, usage, pending } = this.round;
    const application = ranked[ideals.cutByLimit]!;
    const user = this.userOf(ideals.cutByLimit);
    const wanted = plus(arithmetic.row(usage.own, application), arithmetic.row(pending, application));
    const { names, limit, used } = leaf.users;
    return [
      [
        'need-above-user-limit',
        `${this.application(ideals.cutByLimit)} wants ${this.list(wanted)}; user ${names[user]} may have ${this.ofUser(limit, user)} and uses ${this.ofUser(used, user)}.`,
      ],
    ];
  }

  private conservative(): Found[] {
    const { taken, shortfall, shares } = this.plan;
    if (taken.victims.length > 0 && shortfall.every((amount) => amount === 0)) return [];
    if (!shares.ideals.stoppedByType && taken.pastType === 0) return [];
    const reasons = [
      ...(shares.ideals.stoppedByType
        ? [
            `a type ran out, so the rest of the ${this.list(minus(shares.leaf.used, shares.leaf.fixed))} that it uses was not dealt out`,
          ]
        : []),
      ...(taken.pastType > 0
        ? [
            `${counted(taken.pastType, 'allocation was', 'allocations were')} passed over, as they bring the demand no nearer in a type that is still wanted`,
          ]
        : []),
    ];
    const by = this.round.conservative ? ' (the setting conservativeDrf)' : '';
    return [['conservative-drf', `${reasons.join('; ')}${by}.`]];
  }

  private cooling(): Found[] {
    const { coolingUntil } = this.round.usage;
    const { leaf } = this.plan.shares;
    const cooling = leaf.applications.filter((application) => coolingUntil[application]! !== 0);
    if (cooling.length === 0) return [];
    let last = Number.NEGATIVE_INFINITY;
    for (const application of cooling) last = Math.max(last, coolingUntil[application]!);
    const others = cooling.length === 1 ? ' is' : ` and ${cooling.length - 1} more are`;
    return [
      [
        'cooling',
        `${this.round.snapshot.applications.ids[cooling[0]!]}${others} exempt until ${instantText(last)}: the last eviction was less than ${this.round.settings.cooldown} ms ago.`,
      ],
    ];
  }

  private unfit(): Found[] {
    const { shortfall, taken } = this.plan;
    if (taken.leftOut === 0 || shortfall.every((amount) => amount === 0)) return [];
    return [
      [
        'unfit',
        `${counted(taken.leftOut, 'allocation has', 'allocations have')} no room for any request that waits (the setting fitAware); ${this.list(shortfall)} could not be freed.`,
      ],
    ];
  }

  private whatIsThere(): Found[] {
    const { leaf } = this.plan.shares;
    const { allocations } = this.round.snapshot;
    const found: Found[] = [];
    const own = minus(leaf.used, leaf.fixed);
    if (own.every((amount) => amount === 0) && leaf.used.some((amount) => amount > 0)) {
      found.push([
        'only-masters',
        `all of the ${this.list(leaf.used)} that it uses belongs to allocations that are never taken: masters, daemons, protected and cooling ones.`,
      ]);
    }
    const optedOut = this.plan.taken.victims.filter((victim) => allocations.optedOut[victim] === 1);
    if (optedOut.length > 0) {
      found.push([
        'opted-out',
        `${counted(optedOut.length, 'victim')} opted out of preemption, and had to go for want of others, first ${this.id(optedOut[0]!)}.`,
      ]);
    }
    return found;
  }

  private outcome(): Found[] {
    const { outcome, shortfall, target } = this.plan;
    const whole = this.list(target);
    if (outcome === 'best-effort')
      return [['best-effort', `${this.list(shortfall)} of the ${whole} could not be freed in this round.`]];
    if (outcome === 'impossible')
      return [['impossible', `none of the ${whole} could be freed in this round.`]];
    return [];
  }
}
