import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { append, known, operatorStream, readStream, runStream, type Tx } from '#event-store';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { Operator } from './operator.js';

const at = '2026-01-01T00:00:00.000Z';
const of = { partition: 'p', queue: 'root.a' };

let db: DataSource;
let operator: Operator;
withMigratedDatabase(async (opened) => {
  db = opened;
  operator = new Operator(db);
});

/** A run that waits for approval, as the read model still has it. */
async function waitingRun(enforcement: string, { ceiling = false } = {}): Promise<void> {
  await db.query(`INSERT INTO configuration_texts VALUES ('p', '', '', now()) ON CONFLICT DO NOTHING`);
  await db.query(
    `INSERT INTO configurations (partition, version, applied_at, format, digest, quota_preemption_enabled)
     VALUES ('p', 7, now(), 'yunikorn', '', true) ON CONFLICT DO NOTHING`,
  );
  await db.query(
    `INSERT INTO runs (enforcement, partition, queue, fencing_token, configuration) VALUES ($1, 'p', 'root.a', 1, $2)`,
    [enforcement, ceiling ? 7 : null],
  );
  await db.query(
    `INSERT INTO read_runs (enforcement, partition, queue, state, policy, victims, notified, evicted, updated_at)
     VALUES ($1, 'p', 'root.a', 'waiting for approval', 'quota-decrease', 2, 0, 0, now())`,
    [enforcement],
  );
  const data = {
    ...{ ...of, enforcement, fencingToken: 1, openedAt: at, mode: 'enforce' as const, max: null, victims: 2 },
    ...{ needsApproval: true, deadlineAt: at, notices: [] },
    ...(ceiling && { ceiling: 'evictions-per-hour' }),
  };
  await record(db.manager, runStream(enforcement), 0, { name: 'EnforcementOpened', data });
}

const record = (tx: Tx, stream: string, expectedVersion: number, event: object) =>
  append(tx, [
    {
      ...{ stream, partition: 'p', expectedVersion },
      events: [{ event: event as never, at: new Date(at), key: 'root.a' }],
    },
  ]);

const commandsOf = async (enforcement: string) =>
  (await readStream(db, operatorStream(enforcement))).map((event) => known(event).name);

/** The code of the refusal, or `done`. */
const codeOf = (command: Promise<unknown>) =>
  command.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? String(error),
  );

/** Until another transaction waits for a lock of this one, or `command` is over. */
async function untilOneWaits(tx: Tx, command: Promise<unknown>): Promise<void> {
  let isOver = false;
  command.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const [{ waits }] = await tx.query<[{ waits: boolean }]>(
      `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))) AS waits`,
    );
    if (waits) return;
  }
}

it.each([
  ['of its size', {}, ['PlanApproved']],
  ['of a ceiling', { ceiling: true }, ['PlanApproved']],
])('approves a run that waits because %s once, however many approve it', async (why, run, recorded) => {
  const enforcement = `e-twice-${why.length}`;
  await waitingRun(enforcement, run);
  const codes = await Promise.all(
    ['ann', 'bob', 'eve'].map((by) => codeOf(operator.approve(enforcement, by))),
  );
  expect(codes.sort()).toEqual(['done', 'not-waiting', 'not-waiting']);
  expect(await commandsOf(enforcement)).toEqual(recorded);
  expect(await codeOf(operator.reject(enforcement, 'ann', undefined))).toBe('not-waiting');
});

it('takes the approval or the rejection of a run, not both', async () => {
  await waitingRun('e-both');
  const codes = await Promise.all([
    codeOf(operator.approve('e-both', 'ann')),
    codeOf(operator.reject('e-both', 'bob', 'no')),
  ]);
  expect(codes.sort()).toEqual(['done', 'not-waiting']);
  expect(await commandsOf('e-both')).toHaveLength(1);
});

it.each(['approve', 'reject'] as const)('does not %s a run that ends meanwhile', async (command) => {
  const enforcement = `e-ends-${command}`;
  await waitingRun(enforcement);
  let code: Promise<string> = Promise.resolve('');
  await db.transaction(async (tx) => {
    await tx.query('DELETE FROM runs WHERE enforcement = $1', [enforcement]);
    code = codeOf(operator[command](enforcement, 'ann', undefined));
    await untilOneWaits(tx, code);
  });
  expect(await code).toBe('not-waiting');
  expect(await commandsOf(enforcement)).toEqual([]);
});

it('says what a command that came first has made of the run', async () => {
  await waitingRun('e-told');
  await operator.cancel('e-told', 'ann', undefined);
  await expect(operator.approve('e-told', 'bob')).rejects.toThrow('Run e-told of root.a is cancelled.');
  await waitingRun('e-rejected');
  await operator.reject('e-rejected', 'ann', undefined);
  await expect(operator.approve('e-rejected', 'bob')).rejects.toThrow(
    'Run e-rejected of root.a is rejected.',
  );
});

it('approves a run that was opened a moment ago, before the read model has it as waiting', async () => {
  await waitingRun('e-late');
  await db.query("UPDATE read_runs SET state = 'planned' WHERE enforcement = 'e-late'");
  expect(await codeOf(operator.approve('e-late', 'ann'))).toBe('done');
});
