import { Chance } from '../../support/chance.js';
import { audit } from '../audit/audit.js';
import { acceptedAreOnRecord, repetitionsIn, wireHoldsTheLog } from './checks.js';
import { Load } from './load.js';
import { latestStart, longestWaitForPlan, type Measured } from './recovery.js';
import type { ClusterKind, Stage } from './stage.js';
import { type Shape, Tree, usualShape } from './tree.js';

/** A scenario's actions on the system while it is under load. */
export interface Played {
  stage: Stage;
  /** Of the seed; the load has another, so that its pace does not change what the scenario does. */
  chance: Chance;
  /** Reports the step in progress. */
  progress(doing: string): void;
  /** Lowers nothing any more from here on: what the fault makes go wrong is not made good by later decreases. */
  endLoad(): Promise<void>;
  measured(measured: Measured): void;
}

export interface Scenario {
  /** As it is picked: `postgres-killed`. */
  name: string;
  /** The action, in words. */
  title: string;
  /** Default 1. */
  brokers?: 1 | 3;
  /** Default `simulated`. */
  cluster?: ClusterKind;
  /** Of the queues under load, where they differ from the usual ones. */
  shape?: Partial<Shape>;
  /** So many there must be afterwards, and no more. Default none. */
  deadLetters?: number;
  /** The brokers lose messages: from then on the topics need not hold the log. */
  losesMessages?: true;
  play(played: Played): Promise<void>;
}

export interface Outcome {
  scenario: string;
  seed: number;
  /** Accepted decreases, runs that ended, kills, events of the log and messages on the wire: what was checked. */
  decreases: number;
  runs: number;
  kills: number;
  events: number;
  messages: number;
  repetitions: number;
  measured: Measured[];
  /** The findings; empty if all holds. */
  findings: string[];
  /** Where those of the services are, if they were kept. */
  logs?: string;
}

/** Runs that have to end before the fault and after it. */
const runsBefore = 5;
const runsAfter = 10;
/** With so many queues to lower, those runs come for sure. On a slow machine a fault lasts until most of a tree is at its least. */
const enoughQueues = 4 * runsAfter;

/**
 * Plays one scenario on a stage: queues full of work, a steady load on them, the fault in the middle of it; then all comes to
 * rest, and the whole of its history is audited, from the first scenario on.
 */
export async function play(
  scenario: Scenario,
  stage: Stage,
  {
    seed,
    perSecond,
    progress = () => {},
  }: { seed: number; perSecond: number; progress?: (doing: string) => void },
): Promise<Outcome> {
  const { fleet } = stage;
  if (scenario.losesMessages) stage.hasLost = true;
  const measured: Measured[] = [];
  const before = await stage.history();
  const deadLettersBefore = await deadLetters(stage);
  const chance = new Chance(seed);
  const plant = async (name: string) => {
    const tree = new Tree(name, new Chance(seed + 1), { ...usualShape, ...scenario.shape });
    await stage.plant(tree);
    return tree;
  };
  const name = `s${before.log.length}`;
  const tree = await plant(name);
  const load = new Load({ tree, perSecond, url: fleet.url('config-ingest-1') });
  const began = new Date();
  progress('load');
  await load.begin();
  await stage.moreRuns(runsBefore);
  const trouble: string[] = [];
  const step = async (doing: string, work: () => Promise<unknown>) => {
    progress(doing);
    await work().catch((error: Error) => trouble.push(`${doing}: ${error.message}`));
  };
  let ending: Promise<void> | undefined;
  const endLoad = () => {
    ending ??= load.stop();
    return ending;
  };
  await step(scenario.title, () =>
    scenario.play({ stage, chance, progress, endLoad, measured: (one) => measured.push(one) }),
  );
  await step('all get ready again', () => fleet.ready());
  if (!ending) {
    await step('the load continues', async () => {
      if (tree.hasFewerThan(enoughQueues)) load.goOnWith(await plant(`${name}-on`));
      await stage.moreRuns(runsAfter);
    });
  }
  await step('the load ends', endLoad);
  stage.accepted.push(...load.accepted);
  await step('all comes to rest', () => stage.settled());
  progress('audit');
  const history = await stage.history();
  const wire = await stage.wire.read();
  const parked = (await deadLetters(stage)) - deadLettersBefore;
  const wanted = scenario.deadLetters ?? 0;
  const findings = [
    ...trouble,
    ...audit({ ...history, leftOvers: history.leftOvers.filter(({ what }) => what !== 'dead letters') }),
    ...acceptedAreOnRecord(history, stage.accepted),
    ...(stage.hasLost ? [] : wireHoldsTheLog(history, wire)),
    ...(parked === wanted ? [] : [`${parked} dead letters, there should be ${wanted}`]),
    ...fleet.surprises.splice(0),
  ];
  measured.push(
    { what: 'longest wait for a plan', ms: longestWaitForPlan(history.log, began) },
    { what: 'latest start of a run', ms: latestStart(history.log, began) },
  );
  return {
    scenario: scenario.name,
    seed,
    decreases: load.accepted.length,
    runs: ended(history) - ended(before),
    kills: history.kills.length - before.kills.length,
    events: history.log.length - before.log.length,
    messages: wire.length,
    repetitions: repetitionsIn(wire),
    measured,
    findings,
  };
}

function ended({ log }: { log: { name: string }[] }): number {
  return log.filter(({ name }) => name === 'EnforcementEnded').length;
}

async function deadLetters(stage: Stage): Promise<number> {
  const [row] = await stage.ask<{ count: number }>('SELECT count(*)::int FROM dead_letters');
  return row?.count ?? 0;
}
