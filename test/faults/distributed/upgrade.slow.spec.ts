import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '#event-store';
import { migrations } from '#migrations';
import { assertBuilt } from '../../support/curtail-process.js';
import { buildRelease, previousCommit } from '../../support/previous-release.js';
import { type Played, play, type Scenario } from './play.js';
import { reportOf } from './report.js';
import { Stage } from './stage.js';

const seed = Number(process.env.CURTAIL_TEST_SEED ?? Math.floor(Math.random() * 1e6));
/** The output of the services, if something is wrong. */
const logs = '.curtail/upgrade-logs';

const previous = previousCommit();
const title = 'does all it accepted, once, while the tables and then the services are those of this release';

/** Migrations first, then the new services beside the old ones, then the old ones one after the other: a rolling upgrade. */
const upgraded: Scenario = {
  name: 'upgraded',
  title: 'the system is upgraded',
  cluster: 'inventory',
  async play({ stage, progress }: Played) {
    const { fleet, servers } = stage;
    const older = fleet.names();
    progress('migrations beside the services of the release before');
    await migrateDatabase(servers.direct.databaseUrl, migrations);
    await stage.moreRuns(5);
    expect(fleet.surprises).toEqual([]);

    progress('services of both releases');
    fleet.upgrade();
    const apps = ['config-ingest', 'timer', 'planner', 'executor', 'console'] as const;
    const newer = await Promise.all(apps.map((app) => fleet.add(app)));
    await fleet.ready(newer);
    await stage.moreRuns(10);

    progress('the services of the release before go, one after the other');
    for (const name of older) {
      expect(await fleet.stop(name)).toBe(0);
      fleet.startAgain(name);
    }
  },
};

describe(`an upgrade under load (CURTAIL_TEST_SEED=${seed})`, () => {
  if ('missing' in previous) {
    it.skip(`${title} (not run: ${previous.missing}; CURTAIL_TEST_PREVIOUS names a commit)`, () => {});
    return;
  }
  let stage: Stage;
  beforeAll(async () => {
    await assertBuilt();
    const release = await buildRelease(previous.commit);
    const counts = { 'config-ingest': 1, timer: 1, planner: 1, executor: 1, console: 1 };
    stage = await Stage.open({ cluster: 'inventory', counts, release });
  });
  afterAll(() => stage?.remove());

  it(title, async () => {
    const outcome = await play(upgraded, stage, { seed, perSecond: 2 });
    process.stdout.write(`from ${previous.commit.slice(0, 9)}: ${reportOf(outcome)}\n`);
    if (outcome.findings.length > 0) await stage.fleet.keepLogs(logs);
    expect(outcome.findings).toEqual([]);
    expect(outcome.kills).toBeGreaterThan(2);
    await stage.end();
  });
});
