import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { curtail as call } from '../../apps/curtail/testing/test-terminal.js';
import { CurtailFolder } from '../support/curtail-process.js';
import { query } from '../support/query.js';
import { configuration } from '../support/queue-spec.js';
import { withConstants } from '../support/with-constants.js';
import { applyConfiguration, loadWork } from './api.js';
import { until } from './until.js';

const environment = {
  CURTAIL_GRACE_SECONDS: '1',
  CURTAIL_APPROVE_ABOVE_PERCENT: '100',
  CURTAIL_APPROVE_ABOVE_VICTIMS: '5',
  ...withConstants({ foresight: 'off' }),
};
const work = { queues: 1, depth: 1, applications: 2, allocations: 20, resources: [{ memory: 1 }] };
/** Of the clock that is pending in the backup. */
const pendingSeconds = 20;

const evictions = async (url: string) => {
  const [row] = await query(url, 'SELECT count(*)::int AS count FROM simulated_evictions');
  return row?.count;
};

describe('a backup of a partition that is enforced, restored with --mode observe', () => {
  let live: CurtailFolder;
  let restored: CurtailFolder;

  /** One run that waits for approval, one clock that is pending, and a stored mode. */
  beforeAll(async () => {
    [live, restored] = await Promise.all([CurtailFolder.create(), CurtailFolder.create()]);
    const { curtail, url } = await live.start({ environment });
    for (const under of ['root.a', 'root.b']) {
      await loadWork(url, { ...work, under, daemonsPercent: 0, originators: false });
    }
    const mode = await call(['--server', url, 'mode', 'enforce']);
    expect(mode.status).toBe(0);
    await applyConfiguration(
      url,
      configuration('default', {
        a: { max: { memory: 10 }, delay: '20ms', queues: {} },
        b: { max: { memory: 18 }, delay: `${pendingSeconds}s`, queues: {} },
      }),
    );
    const database = () => live.databaseUrl();
    const isThere = `
      SELECT EXISTS (SELECT FROM read_runs WHERE queue = 'root.a' AND state = 'waiting for approval')
         AND EXISTS (SELECT FROM timers WHERE name = 'root.b' AND state = 'pending')`;
    await until(database, isThere, () => curtail.output);
    expect((await curtail.interrupt()).code).toBe(0);
    // With its owner: as root, the database runs under another account.
    await promisify(execFile)('cp', ['-a', live.dataDir, restored.dataDir]);
  });
  afterAll(() => Promise.all([live?.remove(), restored?.remove()]));

  it('evicts nothing when its clock falls due, ends the run that waits, and records both', async () => {
    const { curtail, url } = await restored.start({ environment, words: ['start', '--mode', 'observe'] });
    const databaseUrl = await restored.databaseUrl();
    expect(curtail.output).toContain('(mode: observe, cluster: simulated)');
    expect(curtail.output).toContain('The mode enforce of partition default does not count');
    const server = ['--server', url, '--no-color'];
    const areOver = `SELECT bool_or(queue = 'root.b') AND bool_or(outcome = 'stopped') FROM read_runs WHERE outcome IS NOT NULL`;
    await until(
      () => restored.databaseUrl(),
      areOver,
      () => curtail.output,
    );
    expect(await query(databaseUrl, 'SELECT queue, outcome, evicted FROM read_runs ORDER BY queue')).toEqual(
      expect.arrayContaining([
        // The run that waited for approval; another one of the same queue, which is observed, may follow.
        { queue: 'root.a', outcome: 'stopped', evicted: 0 },
        { queue: 'root.b', outcome: 'observed', evicted: 0 },
      ]),
    );
    expect(await evictions(databaseUrl)).toBe(0);
    const because = await query(
      databaseUrl,
      `SELECT DISTINCT data ->> 'message' AS message FROM events WHERE type LIKE '%.victim.spared.%' AND data ->> 'queue' = 'root.b'`,
    );
    expect(because).toEqual([{ message: expect.stringContaining('CURTAIL_MODE=observe') }]);

    const refused = await call([...server, 'mode', 'enforce'], { columns: 400 });
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('CURTAIL_MODE=observe');
    expect(refused.stderr).toContain('CURTAIL_DEFAULT_MODE=observe');
    const shown = await call([...server, 'mode'], { columns: 400 });
    expect(shown.stdout).toContain('partition default is observed: CURTAIL_MODE=observe');
    expect(shown.stdout).toContain('overrides the mode enforce that is set');
    const partitions = await call([...server, 'get', 'partitions'], { columns: 400 });
    expect(partitions.stdout).toMatch(/^default +observe \(CURTAIL_MODE\)/m);
    const answer = await fetch(`${url}/v1/partitions/default/mode`);
    expect(await answer.json()).toEqual({
      partition: 'default',
      mode: 'observe',
      modeIsDefault: false,
      limited: { by: ['executor', 'planner'], set: 'enforce' },
    });
    // Nothing has changed the mode that was set.
    expect(await query(databaseUrl, 'SELECT mode FROM partition_modes')).toEqual([{ mode: 'enforce' }]);
    expect((await curtail.interrupt()).code).toBe(0);
  });

  it('evicts without it: the clock of the backup is one that would evict', async () => {
    const { curtail, url } = await live.start({ environment });
    expect(curtail.output).toContain('(mode: enforce, cluster: simulated)');
    await until(
      () => live.databaseUrl(),
      `SELECT outcome = 'satisfied' FROM read_runs WHERE queue = 'root.b'`,
      () => curtail.output,
    );
    expect(await evictions(await live.databaseUrl())).toBe(2);
    const shown = await fetch(`${url}/v1/partitions/default/mode`);
    expect(await shown.json()).toEqual({ partition: 'default', mode: 'enforce', modeIsDefault: false });
    expect((await curtail.interrupt()).code).toBe(0);
  });
});
