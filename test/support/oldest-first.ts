import { takeRoundSnapshot } from '#clusters';
import { configuredPolicies } from '#configuration';
import { InputError, type Plan, type Resources, type Trigger, type Victim } from '#contracts';
import { openRun, type RunPolicy, runPolicies } from '#enforcement';
import { plan, planner, planners, RUNNING, readSnapshot, type Snapshot } from '#planning';
import { countAsLeaving, type RoundPolicy, roundPolicies } from '#rounds';

/*
 * A policy of the tests: a partition keeps its `keep` youngest allocations, and each round evicts the older ones. It has all the parts
 * that docs/development.md, "Adding a policy", lists.
 */

const name = 'oldest-first';

interface Settings {
  keep: number;
}

function readSettings(given: unknown): Settings {
  const { keep, ...others } = given as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new InputError(`settings.${unknown}`, 'it is not a known field');
  if (!Number.isInteger(keep)) throw new InputError('settings.keep', 'must be a whole number');
  return { keep: keep as number };
}

function planOldestFirst(snapshot: Snapshot, _: Trigger, { keep }: Settings): Plan {
  const { allocations, applications, queues, types } = snapshot;
  const byAge = allocations.ids
    .map((_, a) => a)
    .filter((a) => allocations.state[a] === RUNNING)
    .sort((a, b) => allocations.startedAt[a]! - allocations.startedAt[b]!);
  const resourcesOf = (a: number): Resources => {
    const entries: [string, number][] = [];
    const size = allocations.size[a]!;
    for (let e = allocations.firstEntry[size]!; e < allocations.firstEntry[size + 1]!; e++)
      entries.push([types[allocations.entryType[e]!]!, allocations.entryAmount[e]!]);
    return Object.fromEntries(entries);
  };
  const victims = byAge.slice(0, Math.max(0, byAge.length - keep)).map(
    (a, i): Victim => ({
      allocation: allocations.ids[a]!,
      application: applications.ids[allocations.application[a]!]!,
      queue: queues.paths[allocations.queue[a]!]!,
      resources: resourcesOf(a),
      rank: i + 1,
      reason: `${allocations.ids[a]} is older than the ${keep} youngest allocations.`,
    }),
  );
  const nothing = { target: {}, inFlight: {}, claimed: {}, shortfall: {}, overshoot: {}, collateral: {} };
  return {
    apiVersion: 'curtail/v1',
    kind: 'Plan',
    policy: name,
    outcome: victims.length > 0 ? 'satisfied' : 'not-needed',
    ...nothing,
    shares: [],
    victims,
    notices: [],
  };
}

const runPolicy: RunPolicy = {
  name,
  isRound: true,
  notifiesInOneRound: false,
  killsWithGrace: false,
  outcomeOf: ({ victims }, { counts }) => (counts.evicted === victims.length ? 'satisfied' : 'best-effort'),
};

const roundPolicy: RoundPolicy = {
  name,
  intervalMs: (settings) => (settings === undefined ? undefined : 100),
  takeSnapshot: takeRoundSnapshot,
  async plan({ partition }, { db, cluster, configured, mostAllocations, state }) {
    const snapshot = await takeRoundSnapshot(db, cluster, { partition, mostAllocations });
    const made = plan(readSnapshot(snapshot), { policy: name }, configured);
    const { outcome, target, claimed, shortfall, victims, notices } = made;
    return {
      ...{ snapshot, plan: made, settings: configured, configured, planSeconds: 0 },
      state: await state(),
      follows: made.victims.length > 0,
      held: [],
      summary: { outcome, target, claimed, shortfall, victims: victims.length, shares: [], notices },
    };
  },
  async open(_, run, terms) {
    run.note([openRun(run.state, terms)]);
    await run.record({
      effect: async (tx) => {
        const { planned } = run.state;
        if (planned && terms.mode === 'enforce') await countAsLeaving(tx, run.state, planned.plan.victims);
      },
    });
  },
  notify: async () => {},
  atEnd: async () => async () => {},
  atGivingUp: async () => {},
};

/** Adds the policy to the registries of this process. */
export function addOldestFirst(): void {
  configuredPolicies.add({ name, readSettings: (given) => readSettings(given) });
  planners.add(
    planner(name, {
      readTrigger: () => ({ policy: name }),
      columnsOf: (s) => s,
      readSettings,
      plan: planOldestFirst,
    }),
  );
  runPolicies.add(runPolicy);
  roundPolicies.add(roundPolicy);
}
