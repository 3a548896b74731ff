import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FakeYtsaurus } from '../../test/clusters/ytsaurus/fake-ytsaurus.js';
import { Ending } from '../distributed/ending.js';
import { root } from '../infra/folders.js';
import { InfraError, ownFolder } from '../infra/index.js';

type Progress = (line: string) => void;

const gibibyte = 1024 ** 3;
const job = { cpu: 1, memory: gibibyte };
const timeoutMs = 3000;
/** What is enough of the fair share of 10 cores. */
const enough = 8;
const waitMs = 120_000;
const shownVictims = 3;

/** Resolves to the exit status, when everything it has started has ended. */
export async function demoYtsaurus(progress: Progress): Promise<number> {
  const ending = new Ending();
  ending.listen();
  const folder = ownFolder();
  const fake = new FakeYtsaurus();
  let curtail: ChildProcess | undefined;
  const show = async () => {
    await fake.up();
    progress('a fake of the HTTP API of YTsaurus answers: no package has the server itself');
    const { old, wanting } = fill(fake, progress);
    const log = join(folder, 'curtail.log');
    await writeFile(join(folder, 'token'), 't\n');
    curtail = await startCurtail({ folder, log, url: fake.url });
    progress('Curtail runs beside it, mode enforce');
    const begun = performance.now();
    await until('room for the operation', async () => {
      if (curtail?.exitCode !== null) {
        throw new InfraError(
          'Curtail has ended.',
          'Its last output:',
          (await readFile(log, 'utf8')).slice(-2000),
        );
      }
      return fake.world.running(wanting).length >= enough;
    });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const calls = fake.callsOf('abort_job');
    progress(
      `after ${seconds} s: ${fake.world.running(wanting).length} jobs of prod, ${fake.world.running(old).length} of dev`,
    );
    progress(`${calls.length} calls of abort_job, each with a mutation id of its own:`);
    for (const { job_id: id, interrupt_timeout: timeout } of calls.slice(0, shownVictims)) {
      progress(`  job ${id}, interrupt_timeout ${timeout} ms`);
    }
    progress(`  ... and ${Math.max(0, calls.length - shownVictims)} more`);
  };
  try {
    progress('about a minute; Ctrl-C ends it at any time');
    await Promise.race([show(), ending.asked]);
    return ending.reason && 'signal' in ending.reason ? 128 + constants.signals[ending.reason.signal] : 0;
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    console.error(error.message);
    return 1;
  } finally {
    if (curtail && curtail.exitCode === null) {
      curtail.kill('SIGTERM');
      await once(curtail, 'exit');
    }
    await fake.down();
    await rm(folder, { recursive: true, force: true });
  }
}

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

async function startCurtail(of: { folder: string; log: string; url: string }): Promise<ChildProcess> {
  const file = await open(of.log, 'a', 0o600);
  const words = [
    ...['dist/apps/curtail/src/main.js', 'start', '--cluster', 'ytsaurus', '--mode', 'enforce'],
    ...['--ytsaurus-url', of.url, '--ytsaurus-token-file', join(of.folder, 'token')],
  ];
  const child = spawn(process.execPath, words, {
    cwd: root,
    // Ctrl-C reaches it through us.
    detached: true,
    stdio: ['ignore', file.fd, file.fd],
    env: { PATH: process.env.PATH, CURTAIL_DATA: join(of.folder, 'data'), CURTAIL_PORT: '0' },
  });
  await file.close();
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + waitMs; !(await is()); await delay(200)) {
    if (Date.now() > end)
      throw new InfraError(`Waited too long for ${what}.`, 'Run it again on a machine that is less busy.');
  }
}
