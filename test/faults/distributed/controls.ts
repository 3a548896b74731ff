import { join } from 'node:path';
import { Chance } from '../../support/chance.js';
import { audit } from '../audit/audit.js';
import { Load } from './load.js';
import { play } from './play.js';
import { reportsReordered } from './scenarios/report-faults.js';
import type { Ground } from './servers.js';
import type { Stage } from './stage.js';
import { type Shape, Tree, usualShape } from './tree.js';

/** A protection that was taken away, from outside, and the audit's findings for the same work with it and without. */
export interface Control {
  protection: string;
  /** The check that has to notice. */
  check: string;
  withIt: string[];
  withoutIt: string[];
}

/** Whether the audit was right both times. */
export function proves({ check, withIt, withoutIt }: Control): boolean {
  return withIt.length === 0 && finds(check, withoutIt);
}

const finds = (check: string, findings: string[]) =>
  findings.some((finding) => finding.startsWith(`${check}: `));

type Played = { stage: Stage<Ground>; seed: number; progress: (doing: string) => void };

/** Many leaves of few groups at the same instant: both executors are at work below one guaranteed amount. */
const crowd: Shape = {
  ...usualShape,
  groups: 8,
  leavesPerGroup: 12,
  guaranteedEvery: 1,
  delayMs: [1000, 1000],
};
const burstPerSecond = 200;
const runsOfBurst = 60;
/** It is likely, not certain, that two check at the same moment. */
const mostTries = 3;

/** Executors of which each checks and kills as if the other were not there break what their queues are guaranteed. */
export async function withoutTurns({ stage, seed, progress }: Played): Promise<Control> {
  progress('a burst, with turns');
  await exchangeExecutors(stage, 'on');
  await burst(stage, 'turns', seed);
  const withIt = audit(await stage.history());
  progress('a burst, without turns');
  await exchangeExecutors(stage, 'off');
  const check = 'floorsHold';
  let withoutIt: string[] = [];
  for (let times = 1; times <= mostTries && !finds(check, withoutIt); times++) {
    await burst(stage, `noturns${times}`, seed + times);
    withoutIt = audit(await stage.history());
  }
  return { protection: 'turns of executors', check, withIt, withoutIt };
}

/** Consumers that cannot know what they have handled do it again when it is delivered again: the load of an earlier control, or a burst. */
export async function withoutInbox({ stage, seed, progress }: Played): Promise<Control> {
  if (!(await stage.wire.read()).some(({ topic }) => topic === 'curtail.quota')) {
    progress('a burst, for something to be delivered again');
    await burst(stage, 'inbox', seed);
  }
  progress('all is delivered again, with the inbox');
  const before = (await stage.history()).log.length;
  const messages = (await stage.wire.read()).filter(({ topic }) => topic === 'curtail.quota');
  await stage.wire.repeat(messages, new Chance(seed));
  await stage.settled();
  const withIt = (await stage.history()).log.length === before ? [] : ['there are new events'];
  progress('all is delivered again, without the inbox');
  // Marks are forgotten at once, with the place up to which all is handled and the versions that clocks have applied.
  await stage.ask(`
    CREATE FUNCTION test_forget_mark() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM inbox WHERE consumer = NEW.consumer AND event_id = NEW.event_id;
        RETURN NULL;
      END $$;
    CREATE TRIGGER test_forget_mark AFTER INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION test_forget_mark();
    DELETE FROM inbox;
    CREATE FUNCTION test_forget_version() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.config_version := 0;
        RETURN NEW;
      END $$;
    CREATE TRIGGER test_forget_version BEFORE INSERT OR UPDATE ON clocks
      FOR EACH ROW EXECUTE FUNCTION test_forget_version();
    UPDATE clocks SET config_version = 0;
    UPDATE subscriptions SET transaction_id = '0', position = 0`);
  const timer = stage.fleet.names('timer')[0]!;
  await stage.fleet.stop(timer);
  stage.fleet.startAgain(timer);
  await stage.fleet.ready([timer]);
  await stage.wire.repeat(messages, new Chance(seed));
  await stage.until(
    'something happens a second time',
    `SELECT count(*) > ${before + messages.length / 10} FROM events`,
  );
  return {
    protection: 'inbox and versions of clocks',
    check: 'eventsTakeEffectOnce',
    withIt,
    withoutIt: audit(await stage.history()),
  };
}

/** Reports that come in any order are distinguished by their sequence alone. */
export async function withoutOrder({ stage, seed, progress }: Played & { stage: Stage }): Promise<Control> {
  const mixed = async (by: number) =>
    (await play(reportsReordered, stage, { seed: by, perSecond: 6, progress })).findings;
  const withIt = await mixed(seed);
  stage.platform.forgetOrder();
  const check = 'floorsHold';
  let withoutIt: string[] = [];
  for (let times = 1; times <= mostTries && !finds(check, withoutIt); times++)
    withoutIt = await mixed(seed + times);
  return { protection: 'sequences of reports', check, withIt, withoutIt };
}

async function burst(stage: Stage<Ground>, name: string, seed: number): Promise<void> {
  const tree = new Tree(name, new Chance(seed), crowd);
  await stage.plant(tree);
  const load = new Load({ tree, perSecond: burstPerSecond, url: stage.fleet.url('config-ingest-1') });
  await load.begin();
  await stage.moreRuns(runsOfBurst);
  await load.stop();
  await stage.settled();
}

async function exchangeExecutors({ fleet }: Stage<Ground>, turns: 'on' | 'off'): Promise<void> {
  const old = fleet.names('executor');
  const hook = join(process.cwd(), 'test/support/kills-apart.mjs');
  const settings = { NODE_OPTIONS: `--import=${hook}`, CURTAIL_TEST_TURNS: turns };
  const added = [await fleet.add('executor', settings), await fleet.add('executor', settings)];
  await fleet.ready(added);
  for (const name of old) {
    await fleet.stop(name);
    fleet.forget(name);
  }
}
