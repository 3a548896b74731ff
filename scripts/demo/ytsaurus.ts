import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeYtsaurus } from '../../test/clusters/ytsaurus/fake-ytsaurus.js';
import { type Demo, type Progress, secondsSince } from './run-demo.js';

const gibibyte = 1024 ** 3;
const job = { cpu: 1, memory: gibibyte };
const timeoutMs = 3000;
/** What is enough of the fair share of 10 cores. */
const enough = 8;
const shownVictims = 3;

/**
 * A fake of YTsaurus's HTTP API with two nodes. An operation that starves gets room from one that holds more than its fair share.
 */
export const demo: Demo = {
  cluster: 'the fake of YTsaurus',
  show: async (stage) => {
    const { folder, progress } = stage;
    const fake = new FakeYtsaurus();
    await fake.up();
    stage.atEnd(() => fake.down());
    progress('a fake of the HTTP API of YTsaurus answers: no package has the server itself');
    const { old, wanting } = fill(fake, progress);
    const token = join(folder, 'token');
    await writeFile(token, 't\n');
    await stage.startCurtail([
      ...['--cluster', 'ytsaurus', '--ytsaurus-url', fake.url, '--ytsaurus-token-file', token],
    ]);
    const begun = performance.now();
    await stage.until('room for the operation', async () => fake.world.running(wanting).length >= enough);
    const calls = fake.callsOf('abort_job');
    progress(
      `after ${secondsSince(begun)}: ${fake.world.running(wanting).length} jobs of prod, ${fake.world.running(old).length} of dev`,
    );
    progress(`${calls.length} calls of abort_job, each with a mutation id of its own:`);
    for (const { job_id: id, interrupt_timeout: timeout } of calls.slice(0, shownVictims)) {
      progress(`  job ${id}, interrupt_timeout ${timeout} ms`);
    }
    progress(`  ... and ${Math.max(0, calls.length - shownVictims)} more`);
  },
};

function fill({ world }: FakeYtsaurus, progress: Progress) {
  world.addTree('physical', {
    main_resource: 'cpu',
    fair_share_starvation_timeout: timeoutMs,
    preemptive_scheduling_backoff: 0,
    allocation_preemption_timeout: 1000,
  });
  for (const pool of ['prod', 'dev']) world.addPool('physical', pool);
  for (const address of ['n1:9012', 'n2:9012']) {
    world.addNode(address, { cpu: 10, memory: 100 * gibibyte, user_slots: 100 }, 'physical');
  }
  const old = world.addOperation({ pool: 'dev', user: 'bob', job, pending: 20, finishesAfterMs: 500 });
  const wanting = world.addOperation({ pool: 'prod', user: 'ada', job, pending: 20 });
  progress(
    'two nodes of 10 cores; 20 jobs of an operation in the pool dev hold all of them, and 20 in prod wait',
  );
  progress(
    `prod has a right to half: it starves after ${timeoutMs / 1000} s, and ${enough} cores are enough`,
  );
  return { old, wanting };
}
