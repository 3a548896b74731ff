import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { FairSharePartition } from '../support/fair-share-partition.js';
import { query } from '../support/query.js';
import { withConstants } from '../support/with-constants.js';

const core = { vcore: 1000 };

/** Two processes that share a database begin and plan the rounds; the one that carries the run out is killed. */
describe('a run of fair share whose process is killed in the time that its victim has to finish', () => {
  let database: TestDatabase;
  let folder: CurtailFolder;
  let other: EmbeddedSystem;
  let killed: CurtailProcess;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    other = await EmbeddedSystem.start({ roundIntervalMilliseconds: 200 }, database);
    folder = await CurtailFolder.create();
    ({ curtail: killed } = await folder.start({
      environment: {
        DATABASE_URL: database.url,
        ...withConstants({ roundIntervalMilliseconds: 200 }),
        CURTAIL_APPROVE_ABOVE_PERCENT: '100',
        // With the run still in its hands: the question is on record, and the process does not know it yet.
        CURTAIL_TEST_CRASH_AT: JSON.stringify({
          moment: 'after commit',
          all: ['io.curtail.victim.notified.v1'],
        }),
      },
      preload: ['test/support/crash-at.mjs'],
    }));
  });
  afterAll(async () => {
    await folder?.remove();
    await other?.stop();
    await database?.drop();
  });

  const held = async () => {
    const [row] = await query(
      database.url,
      'SELECT enforcement, lease_until > clock_timestamp() AS held FROM runs',
    );
    return row;
  };

  it('is gone on with by the other one: asked once, killed once, and not before the time is over', async () => {
    const resume = other.pauseExecutor();
    const made = new FairSharePartition(other.partition());
    const { of } = made;
    await made.cluster({ n1: 10 }, [
      { id: 'old', queue: 'root.a', on: { n1: 10 } },
      { id: 'new', queue: 'root.b', pending: [{ resources: core, count: 5 }] },
    ]);
    await made.configure(['a', 'b'], { fairShareStarvationTimeout: 100, allocationPreemptionTimeout: 4000 });
    const { data: asked } = await of.event('VictimNotified');
    expect(await killed.ended).toEqual({ code: null, signal: 'SIGKILL' });
    resume();
    expect(await held()).toEqual({ enforcement: asked.enforcement, held: true });

    // The dead process has the run for some seconds more; then anybody may take it.
    await other.db.query('UPDATE runs SET lease_until = now()');

    const { data: ended } = await of.event('EnforcementEnded');
    expect(ended).toMatchObject({ enforcement: asked.enforcement, evicted: 1 });
    const ofRun = (await of.log()).filter(
      ({ data }) => 'enforcement' in data && data.enforcement === asked.enforcement,
    );
    const victims = ofRun.flatMap(({ name, data }) =>
      'allocation' in data ? [[name, data.allocation]] : [],
    );
    expect(victims).toEqual(
      ['VictimNotified', 'VictimOrdered', 'VictimEvicted'].map((name) => [name, asked.allocation]),
    );
    const kills = await other.db.query<{ allocation: string; at: Date }[]>(
      'SELECT allocation, at FROM simulated_evictions WHERE partition = $1',
      [of.name],
    );
    expect(kills.map(({ allocation }) => allocation)).toEqual([asked.allocation]);
    expect(kills[0]?.at.getTime()).toBeGreaterThanOrEqual(Date.parse(asked.killAt));
  });
});
