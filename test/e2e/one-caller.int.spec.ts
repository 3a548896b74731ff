import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallingClient, ProblemException } from '#platform';
import { PlanInThread } from '../../apps/config-ingest/src/preview/plan-in-thread.js';
import { ReadInThread } from '../../apps/config-ingest/src/reading/read-in-thread.js';
import { RemakeInThread } from '../../apps/console/src/replay/remake/remake-in-thread.js';
import { Status } from '../../apps/console/src/status/status.js';
import { fileOfTeams } from '../../libs/platform/src/testing/teams-file.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { HeldThreads } from '../support/held-threads.js';
import { heldTransaction } from '../support/held-transaction.js';

const tokens = {
  operator: 'operator-horse-battery',
  team: 'team-horse-battery',
  other: 'other-horse-battery',
};

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start({
    token: tokens.operator,
    teamsFile: fileOfTeams(
      (
        [
          ['web', tokens.team],
          ['research', tokens.other],
        ] as const
      ).map(([name, token]) => ({
        ...{ name, partition: 'default', queue: `root.${name}` },
        sha256: createHash('sha256').update(token).digest('hex'),
      })),
    ),
    rateLimitPerMinute: 100_000,
  });
  const queues = ['name: web', 'name: research'].map((name) => `              - ${name}\n`).join('');
  const whole = `partitions:\n  - name: default\n    queues:\n      - name: root\n        queues:\n${queues.replaceAll('              ', '          ')}`;
  expect((await send('operator', 'PUT', '/v1/partitions/default/config', whole)).status).toBe(200);
});
afterAll(() => system.stop());

interface Sent {
  status: number;
  body: { type?: string };
  retryAfter: string | null;
}

async function send(
  who: keyof typeof tokens,
  method: string,
  path: string,
  body?: string,
  signal?: AbortSignal,
): Promise<Sent> {
  const response = await fetch(system.url + path, {
    method,
    headers: { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/yaml' },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith('{') ? JSON.parse(text) : {},
    retryAfter: response.headers.get('retry-after'),
  };
}

const entry = '/v1/partitions/default/queues/root.web/config';
const short = 'name: web\n';
/** Long enough for a thread. */
const long = `${short}# ${'x'.repeat(8192)}
`;

describe('a team with many requests', () => {
  let held: HeldThreads;
  beforeEach(() => {
    held = new HeldThreads();
    system.part(ReadInThread).use(held.program('apps/config-ingest/src/reading/reading-thread'));
  });
  afterEach(() => held.release(1000));

  const untilBegun = (count: number) =>
    system.until(`work ${count} to begin`, async () => held.begun === count);

  it('has two of its configurations read or waiting, and an operator waits for none of them', async () => {
    const clients = [new AbortController(), new AbortController()];
    const ofTeam = clients.map(({ signal }) =>
      send('team', 'PUT', `${entry}?dryRun=true`, long, signal).catch(() => 'left'),
    );
    await untilBegun(1);
    await system.until('the second to wait', async () => {
      const third = await send('team', 'PUT', `${entry}?dryRun=true`, long);
      return third.status === 429 && third;
    });
    // It begins in a thread of its own, whatever that of the team does.
    const ofOperator = send('operator', 'PUT', `${entry}?dryRun=true`, long);
    await untilBegun(2);
    expect((await send('operator', 'GET', '/v1/kill-switch')).status).toBe(200);
    held.release(1000);
    expect((await ofOperator).status).toBe(200);
    for (const answer of await Promise.all(ofTeam)) expect(answer).toMatchObject({ status: 200 });
  });

  it('ends the reading of a configuration by leaving', async () => {
    const client = new AbortController();
    const left = send('team', 'PUT', entry, long, client.signal);
    await untilBegun(1);
    client.abort();
    await expect(left).rejects.toThrow();
    const next = send('team', 'PUT', `${entry}?dryRun=true`, long);
    // The first is never released, and yet the second begins.
    await untilBegun(2);
    held.release(2);
    expect((await next).status).toBe(200);
  });

  it('opens a tenth of all live pages', async () => {
    const pages = new AbortController();
    const open = (who: keyof typeof tokens) =>
      fetch(`${system.url}/v1/live`, {
        headers: { authorization: `Bearer ${tokens[who]}` },
        signal: pages.signal,
      });
    try {
      for (let count = 0; count < 100; count++) expect((await open('team')).status).toBe(200);
      const refused = await open('team');
      expect(refused.headers.get('retry-after')).toBe('30');
      expect(await refused.json()).toMatchObject({ status: 429, type: 'urn:curtail:problem:too-many-pages' });
      for (const who of ['other', 'operator'] as const) expect((await open(who)).status).toBe(200);
    } finally {
      pages.abort();
    }
  });

  it('has one status read at a time, and an operator waits for none of them', async () => {
    const status = system.part(Status) as unknown as { read: (...given: unknown[]) => Promise<unknown> };
    const { read } = status;
    let [underWay, most, reads] = [0, 0, 0];
    status.read = async (...given) => {
      reads++;
      most = Math.max(most, ++underWay);
      return read.apply(status, given).finally(() => underWay--);
    };
    const answers = await Promise.all([
      ...Array.from({ length: 40 }, () => send('team', 'GET', '/v1/status')),
      send('operator', 'GET', '/v1/status'),
    ]);
    status.read = read;
    expect(new Set(answers.map(({ status: code }) => code))).toEqual(new Set([200]));
    // One of the team, and one of the operator.
    expect(most).toBeLessThanOrEqual(2);
    expect(reads).toBeLessThanOrEqual(answers.length);
  });
});

/** Pieces of work of the team that last until they are released; those of others are done at once. */
interface Pool {
  /** How many of the team it takes, and refuses none of. */
  most: number;
  isFull: boolean;
  /** Others wait until what the team has under way is done; operators never do. */
  isInTurns: boolean;
  /** Waits until the team has taken what it may. */
  underWay?(): Promise<unknown>;
  /** @returns the status of the answer. */
  ask(who: keyof typeof tokens): Promise<number>;
  release(): Promise<void>;
}

/** @param run does a piece of work for a caller. */
function turns(run: (work: () => Promise<void>, caller: CallingClient) => Promise<unknown>): Pool {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { signal: gone } = new AbortController();
  return {
    ...{ most: 2, isFull: true, isInTurns: true },
    ask: (who) =>
      run(() => (who === 'team' ? held : Promise.resolve()), {
        ...{ name: who, isOperator: who === 'operator', gone },
      }).then(
        () => 200,
        (error: ProblemException) => error.problem.status,
      ),
    release: async () => release(),
  };
}

function longBodies(): Pool {
  const ends: (() => void)[] = [];
  const queue = { team: 'web', other: 'research', operator: 'web' };
  return {
    ...{ most: 2, isFull: true, isInTurns: false },
    ask: async (who) => {
      const body = `name: ${queue[who]}\n# ${'x'.repeat(70_000)}\n`;
      const sent = request(
        `${system.url}/v1/partitions/default/queues/root.${queue[who]}/config?dryRun=true`,
        {
          method: 'PUT',
          headers: {
            authorization: `Bearer ${tokens[who]}`,
            'content-type': 'application/yaml',
            'content-length': body.length,
          },
        },
      );
      sent.on('error', () => {});
      sent.write(body.slice(0, -1));
      const end = () => sent.end(body.slice(-1));
      if (who === 'team') ends.push(end);
      else end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode!;
    },
    release: async () => {
      for (const end of ends) end();
    },
  };
}

/** Statements that wait for a lock which the test holds. */
async function locked(
  statement: string,
  asked: Record<keyof typeof tokens, [method: string, path: string, body?: string]>,
  { share, isInTurns = false }: { share: number; isInTurns?: boolean },
): Promise<Pool> {
  const lock = await heldTransaction(system.db);
  await lock.query(statement);
  return {
    // More than there are connections.
    ...{ most: 40, isFull: false, isInTurns },
    underWay: () =>
      system.until('the team to have its share', async () => {
        const [{ waiting }] = (await system.db.query(
          "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )) as [{ waiting: number }];
        return waiting >= share;
      }),
    ask: async (who) => (await send(who, ...asked[who])).status,
    release: async () => {
      await lock.rollbackTransaction();
      await lock.release();
    },
  };
}

const readings = () =>
  locked(
    'LOCK TABLE foreseen_owners IN ACCESS EXCLUSIVE MODE',
    {
      team: ['GET', '/v1/foreseen?partition=default'],
      other: ['GET', '/v1/pools?partition=default'],
      operator: ['GET', '/v1/pools?partition=default'],
    },
    { share: 3 },
  );

/** Each waits in a transaction of the pool that all services of a process have, for the partition. */
const submissions = () =>
  locked(
    "SELECT pg_advisory_xact_lock(hashtextextended('config/default', 0))",
    {
      team: ['PUT', entry, short],
      other: ['GET', entry.replace('root.web', 'root.research')],
      operator: ['GET', '/v1/partitions/default/config'],
    },
    { share: 5 },
  );

const readingsOfStops = () =>
  locked(
    'LOCK TABLE kill_switches IN ACCESS EXCLUSIVE MODE',
    {
      team: ['GET', '/v1/kill-switch'],
      other: ['GET', '/v1/freezes'],
      operator: ['GET', '/v1/dead-letters'],
    },
    { share: 1, isInTurns: true },
  );

describe('a team that takes its share of a pool', () => {
  it.each<[string, () => Pool | Promise<Pool>]>([
    ['dry runs and what-if', () => turns((work, caller) => system.part(PlanInThread).preview(work, caller))],
    ['explanations', () => turns((work, caller) => system.part(RemakeInThread).explain(work, caller))],
    ['long bodies', longBodies],
    ['readings of the database', readings],
    ['readings of what operators command', readingsOfStops],
    ['configurations', submissions],
  ])('leaves the others theirs: %s', async (_what, open) => {
    const { most, isFull, isInTurns, underWay, ask, release } = await open();
    const answered: number[] = [];
    const ofTeam = Array.from({ length: isFull ? most + 1 : most }, async () => {
      const status = await ask('team');
      answered.push(status);
      return status;
    });
    try {
      await underWay?.();
      if (isFull) expect(await Promise.race(ofTeam)).toBe(429);
      const ofOther = ask('other');
      expect(await ask('operator')).toBe(200);
      if (!isInTurns) expect(await ofOther).toBe(200);
      expect(answered).toEqual(isFull ? [429] : []);
      await release();
      expect(await ofOther).toBe(200);
      const statuses = await Promise.all(ofTeam);
      // Of those that change the same configuration at once, some are told so (412).
      expect(statuses.filter((status) => status < 429)).toHaveLength(most);
    } finally {
      await release().catch(() => {});
    }
  });
});
