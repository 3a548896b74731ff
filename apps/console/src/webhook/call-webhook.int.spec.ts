import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Webhook as Receiver } from 'standardwebhooks';
import type { DataSource } from 'typeorm';
import type { InventoryControl } from '#clusters';
import type { DomainEvent } from '#contracts';
import { webhookMessage, webhookTypes } from '#contracts/api';
import { openDatabase } from '#event-store';
import { Metrics } from '#platform';
import type { Webhook } from '#runtime';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { inbound } from '../../../../test/support/reporting-platform.js';
import { announceEnds, announceForeseen } from './announcements.js';
import { CallWebhook } from './call-webhook.js';
import { noteFailed, resendDead, takeDueMessages, webhookStatus } from './outbox.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const newSecret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

interface Received {
  path: string | undefined;
  headers: Record<string, string>;
  body: string;
}
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end('not read');

describe('messages to a webhook', () => {
  let server: TestDatabase;
  let db: DataSource;
  let receiver: Server;
  let url: string;
  let received: Received[];
  let answer: Answer;
  let logged: string;
  let metrics: Metrics;
  const running: CallWebhook[] = [];

  beforeAll(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    receiver = createServer(async (request, response) => {
      const body = await text(request);
      received.push({ path: request.url, headers: request.headers as Record<string, string>, body });
      answer(request, response);
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/a-secret-path`;
  });
  afterAll(async () => {
    receiver?.closeAllConnections();
    receiver?.close();
    await db?.destroy();
    await server?.drop();
  });
  beforeEach(async () => {
    received = [];
    answer = status(204);
    logged = '';
    metrics = new Metrics();
    await db.query('TRUNCATE webhook_conditions, webhook_messages, read_runs');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
    expect(logged).not.toContain('whsec_');
    expect(logged).not.toContain('a-secret-path');
  });

  const log = pino(
    { level: 'trace' },
    new Writable({
      write: (chunk, _, done) => {
        logged += String(chunk);
        done();
      },
    }),
  );
  async function start(given: Partial<Webhook> = {}, inventory?: InventoryControl): Promise<CallWebhook> {
    const webhook = {
      ...{ url, secrets: [secret], types: new Set(webhookTypes), timeoutMs: 30_000, reminderSeconds: 3600 },
      ...given,
    };
    const caller = new CallWebhook(webhook, db, metrics, log, inventory ?? null);
    running.push(caller);
    await caller.start();
    return caller;
  }
  const addRun = (enforcement: string, state = 'waiting for approval', partition = 'default') =>
    db.query(
      `INSERT INTO read_runs (enforcement, partition, queue, state, victims, started_at, updated_at)
       VALUES ($1, $2, 'root.a', $3, 12, now(), '2026-11-25T10:00:00Z')`,
      [enforcement, partition, state],
    );
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const rows = (): Promise<{ id: string; state: string; attempts: number; error: string | null }[]> =>
    db.query('SELECT id, state, attempts, last_error AS error FROM webhook_messages ORDER BY created_at, id');
  const untilState = (state: string) => until(async () => (await rows()).some((row) => row.state === state));
  const untilDelivered = (count: number) =>
    until(async () => (await rows()).filter(({ state }) => state === 'delivered').length === count);
  const untilFailed = (attempts: number) =>
    until(async () => (await rows()).some((row) => row.error !== null && row.attempts === attempts));
  /** A second ago: the column has milliseconds, so this very moment may be rounded to one that has not come yet. */
  const makeDue = () =>
    db.query("UPDATE webhook_messages SET next_at = now() - interval '1 second' WHERE state = 'pending'");
  const messages = () => received.map(({ body }) => webhookMessage.parse(JSON.parse(body)));

  it('about a run that waits for approval are signed, by each secret, as Standard Webhooks demands', async () => {
    await addRun('e-1');
    await start({ secrets: [newSecret, secret] });
    await untilState('delivered');
    const [{ headers, body }] = received as [Received];
    for (const known of [secret, newSecret]) {
      expect(new Receiver(known).verify(body, headers)).toEqual({
        type: 'run.waits-for-approval',
        timestamp: '2026-11-25T10:00:00.000Z',
        data: {
          ...{ partition: 'default', queue: 'root.a', enforcement: 'e-1', policy: 'quota-decrease' },
          ...{ victims: 12, reminder: 0, code: 'waits-for-approval' },
          message: 'Run e-1 of root.a waits for approval of 12 victims.',
          remedy: expect.stringContaining('curtail approve e-1'),
          about: { kind: 'enforcement', name: 'e-1' },
        },
      });
    }
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Curtail' });
    expect(headers['webhook-id']).toBe((await rows())[0]!.id);
    const stranger = new Receiver(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
    expect(() => stranger.verify(body, headers)).toThrow();
    expect(() => new Receiver(secret).verify(`${body} `, headers)).toThrow();
    expect(() =>
      new Receiver(secret).verify(body, { ...headers, 'webhook-timestamp': '1700000000' }),
    ).toThrow();
    expect(await metrics.registry.metrics()).toContain(
      'curtail_webhook_attempts_total{result="delivered"} 1',
    );
  });

  it('are sent once for each run, and not for runs that do not wait', async () => {
    await addRun('e-1');
    await addRun('e-2', 'executing');
    const first = await start();
    await untilState('delivered');
    await first.stop();
    await addRun('e-3');
    await start();
    await untilDelivered(2);
    expect(messages().map(({ data }) => data.enforcement)).toEqual(['e-1', 'e-3']);
  });

  it('are repeated while a run still waits, with another id, and no longer once it is approved', async () => {
    await addRun('e-1');
    let caller = await start({ reminderSeconds: 3600 });
    await untilState('delivered');
    await caller.stop();
    const anHourPasses = () =>
      db.query("UPDATE webhook_conditions SET announced_at = announced_at - interval '1 hour'");
    await anHourPasses();
    caller = await start();
    await untilDelivered(2);
    await caller.stop();
    expect(messages().map(({ data }) => data.reminder)).toEqual([0, 1]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    await anHourPasses();
    await db.query("UPDATE read_runs SET state = 'approved'");
    await addRun('e-2');
    await start();
    await untilDelivered(3);
    expect(messages()[2]?.data).toMatchObject({ enforcement: 'e-2', reminder: 0 });
    expect(await db.query('SELECT subject FROM webhook_conditions')).toEqual([{ subject: 'e-2' }]);
  });

  const noAnswer: Answer = () => {};

  it.each<[string, Answer, RegExp]>([
    ['an error', status(500), /^it answered 500$/],
    ['a refusal', status(404), /^it answered 404$/],
    [
      'a redirect, which is not followed',
      status(302, { location: '/elsewhere' }),
      /^it answered 302, a redirect$/,
    ],
    ['a broken connection', (request) => request.socket.destroy(), /^it cannot be reached \(\w+\)$/],
    ['no answer in time', noAnswer, /^it did not answer within 0\.2 s$/],
  ])('are sent again after %s, with the same id and another signature', async (_, fails, error) => {
    answer = fails;
    await addRun('e-1');
    const caller = await start(fails === noAnswer ? { timeoutMs: 200 } : {});
    await untilFailed(1);
    await caller.stop();
    const [failed] = await rows();
    expect(failed).toMatchObject({ state: 'pending', attempts: 1, error: expect.stringMatching(error) });
    const [{ seconds }] = await db.query(
      'SELECT extract(epoch FROM next_at - now())::float8 AS seconds FROM webhook_messages',
    );
    expect(seconds).toBeLessThanOrEqual(6.25);
    answer = status(200);
    await makeDue();
    await start();
    await untilState('delivered');
    expect(received.map(({ path }) => path)).toEqual(['/hooks/a-secret-path', '/hooks/a-secret-path']);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([failed!.id]));
    for (const { body, headers } of received) new Receiver(secret).verify(body, headers);
    expect(await rows()).toMatchObject([{ attempts: 2, error: null }]);
    expect(logged).toContain('Could not deliver a message to the webhook');
  });

  it('are sent again no earlier than the receiver asks', async () => {
    answer = status(429, { 'retry-after': '600' });
    await addRun('e-1');
    await start();
    await untilFailed(1);
    const [{ isLater }] = await db.query(
      `SELECT next_at > now() + interval '500 seconds' AS "isLater" FROM webhook_messages`,
    );
    expect(isLater).toBe(true);
  });

  it('are delivered although the answer never ends: it is not read', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (_, response) => {
        response.once('close', resolve);
        response.writeHead(200);
        const more = () => {
          if (!response.destroyed) response.write('x'.repeat(65_536), () => setImmediate(more));
        };
        more();
      };
    });
    await addRun('e-1');
    await start();
    await untilState('delivered');
    await closed;
  });

  it('are given up after the last attempt, which the log, the metrics and the status show', async () => {
    answer = status(503);
    await addRun('e-1');
    await start();
    await untilFailed(1);
    expect(await webhookStatus(db)).toMatchObject({ pending: 1, failing: 0, dead: 0 });
    await db.query('UPDATE webhook_messages SET attempts = 2, next_at = now()');
    await untilFailed(3);
    expect(await webhookStatus(db)).toMatchObject({ pending: 1, failing: 1, dead: 0 });
    await db.query('UPDATE webhook_messages SET attempts = 14, next_at = now()');
    await untilState('dead');
    expect(await webhookStatus(db)).toEqual({
      ...{ pending: 0, failing: 0, dead: 1, lastDeliveredAt: null, lastError: 'it answered 503' },
    });
    await until(() => logged.includes('Gave up on a message to the webhook.'));
    expect(await metrics.registry.metrics()).toContain('curtail_webhook_attempts_total{result="dead"} 1');
    answer = status(200);
    await addRun('e-2');
    await untilState('delivered');
    expect(await webhookStatus(db)).toMatchObject({ dead: 0, lastDeliveredAt: expect.any(String) });
  });

  it('that were given up are sent again with their ids when an operator requests it', async () => {
    answer = status(503);
    await addRun('e-1');
    await start();
    await untilFailed(1);
    await db.query('UPDATE webhook_messages SET attempts = 14, next_at = now()');
    await untilState('dead');
    answer = status(200);
    const sent = received.length;
    expect(await resendDead(db)).toBe(1);
    await untilDelivered(1);
    const [message, ...others] = await rows();
    expect(message).toMatchObject({ attempts: 1, error: null });
    expect(received.slice(sent).map(({ headers }) => headers['webhook-id'])).toEqual([message!.id]);
    expect(others).toEqual([]);
    expect(await resendDead(db)).toBe(0);
  });

  it.each([
    ['http://hooks.example.org/a-secret-path', true],
    ['https://hooks.example.org/a-secret-path', false],
    ['http://[::1]:1/a-secret-path', false],
  ])('over http to another machine are warned of at the start: %s', async (to, warned) => {
    await start({ url: to });
    expect(logged.includes('The webhook is called over http')).toBe(warned);
  });

  it('that are under way when a process stops are sent by the next one', async () => {
    const arrived = new Promise<void>((resolve) => {
      answer = () => resolve();
    });
    await addRun('e-1');
    const first = await start();
    await arrived;
    await first.stop();
    expect(await rows()).toMatchObject([{ state: 'pending', attempts: 0, error: null }]);
    answer = status(200);
    await start();
    await untilState('delivered');
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('of a process that was killed are due again, and its late record changes nothing', async () => {
    await addRun('e-1');
    answer = status(500);
    const first = await start();
    await untilFailed(1);
    await first.stop();
    await makeDue();
    const [taken] = await takeDueMessages(db.manager, 10, 60);
    expect(await takeDueMessages(db.manager, 10, 60)).toEqual([]);
    await makeDue();
    answer = status(200);
    await start();
    await untilState('delivered');
    expect(received.at(-1)?.headers['webhook-id']).toBe(taken!.id);
    await noteFailed(db, taken!, 'late');
    expect(await rows()).toMatchObject([{ state: 'delivered', attempts: 3, error: null }]);
  });

  it('are taken by one process, and others do not wait for it', async () => {
    await addRun('e-1');
    answer = status(500);
    const caller = await start();
    await untilFailed(1);
    await caller.stop();
    await makeDue();
    await db.transaction(async (tx) => {
      expect(await takeDueMessages(tx, 10, 60)).toMatchObject([{ attempts: 2 }]);
      expect(await takeDueMessages(db.manager, 10, 60)).toEqual([]);
    });
    expect(await takeDueMessages(db.manager, 10, 60)).toEqual([]);
  });

  it('are sent by one of several processes', async () => {
    for (let number = 1; number <= 40; number++) await addRun(`e-${number}`);
    await Promise.all([start(), start(), start()]);
    await untilDelivered(40);
    expect(
      messages()
        .map(({ data }) => data.enforcement)
        .sort(),
    ).toEqual(Array.from({ length: 40 }, (_, index) => `e-${index + 1}`).sort());
  });

  it('about advance notices and their withdrawal are made once each, if they are wanted', async () => {
    const owner = {
      ...{ partition: 'default', queue: 'root.a', enforcement: 'e-3', application: 'etl', user: 'ann' },
      ...{ dueAt: '2026-11-25T12:00:00.000Z', about: { kind: 'application', name: 'etl' } },
    };
    const foreseen: DomainEvent = {
      name: 'VictimForeseen',
      data: {
        ...owner,
        ...{ changes: ['new'], victims: 1, allocations: ['etl-1'], digest: 'd', resources: { memory: 1 } },
        ...{ rule: 'younger', reason: 'Number 1.', since: '2026-11-25T11:00:00.000Z', checks: 1 },
        ...{ needsApproval: false, checkedAt: '2026-11-25T11:00:00.000Z', notified: 1, more: 0 },
        ...{ code: 'foreseen', message: 'If root.a were enforced now.' },
      },
    };
    const withdrawn: DomainEvent = {
      name: 'ForesightWithdrawn',
      data: { ...owner, code: 'quota-raised', message: 'No eviction is foreseen.' },
    };
    const time = new Date('2026-11-25T11:00:00Z');
    const events = [foreseen, withdrawn].map((event, i) => ({ ...event, id: `id-${i}`, time }) as never);
    await announceForeseen(db.manager, new Set(['run.failed']), events);
    expect(await rows()).toEqual([]);
    const types = new Set(['victim.foreseen', 'foresight.withdrawn'] as const);
    await announceForeseen(db.manager, types, events);
    await announceForeseen(db.manager, types, events);
    await start({ types });
    await untilDelivered(2);
    const of = { partition: 'default', queue: 'root.a', enforcement: 'e-3', policy: 'quota-decrease' };
    expect(messages()).toEqual(
      expect.arrayContaining([
        {
          type: 'victim.foreseen',
          timestamp: time.toISOString(),
          data: expect.objectContaining({
            ...{
              ...of,
              application: 'etl',
              user: 'ann',
              dueAt: owner.dueAt,
              victims: 1,
              allocations: ['etl-1'],
            },
            ...{ changes: ['new'], checks: 1, needsApproval: false, code: 'foreseen', about: owner.about },
            remedy: expect.stringContaining('curtail get foreseen --queue root.a'),
          }),
        },
        {
          type: 'foresight.withdrawn',
          timestamp: time.toISOString(),
          data: expect.objectContaining({ ...of, application: 'etl', user: 'ann', code: 'quota-raised' }),
        },
      ]),
    );
  });

  it('are of the wanted types only', async () => {
    await addRun('e-1');
    const ended = (outcome: string, enforcement: string) =>
      inbound(
        {
          name: 'EnforcementEnded',
          data: { enforcement, partition: 'default', queue: 'root.a', outcome, message: 'Why.' },
        } as unknown as DomainEvent,
        new Date('2026-11-25T11:00:00Z'),
      );
    const events = [ended('satisfied', 'e-2'), ended('failed', 'e-3'), ended('rejected', 'e-4')];
    await announceEnds(db.manager, new Set(['run.failed']), events);
    await announceEnds(db.manager, new Set(['run.failed']), events);
    await start({ types: new Set(['run.failed']) });
    await untilState('delivered');
    expect(messages()).toEqual([
      {
        type: 'run.failed',
        timestamp: '2026-11-25T11:00:00.000Z',
        data: {
          ...{
            partition: 'default',
            queue: 'root.a',
            enforcement: 'e-3',
            policy: 'quota-decrease',
            code: 'failed',
          },
          message: 'Run e-3 of root.a ended as failed: Why.',
          remedy:
            'see why with curtail explain enforcement e-3; to evict after all: curtail enforce root.a --partition default',
          about: { kind: 'enforcement', name: 'e-3' },
        },
      },
    ]);
    expect(await db.query('SELECT subject FROM webhook_conditions')).toEqual([]);
  });

  it('about a cluster come when it has been unknown for a minute', async () => {
    let known = false;
    const notice = {
      code: 'silent',
      message: 'nothing was reported',
      remedy: 'start it',
      about: {},
      source: null,
    };
    const inventory = {
      status: async () => ({ items: [{ partition: 'gpu', known, notices: [notice] }], unread: [] }),
    } as unknown as InventoryControl;
    await addRun('e-1');
    let caller = await start({}, inventory);
    await untilState('delivered');
    await caller.stop();
    expect(messages().map(({ type }) => type)).toEqual(['run.waits-for-approval']);
    await db.query("UPDATE webhook_conditions SET since = since - interval '1 minute'");
    caller = await start({}, inventory);
    await untilDelivered(2);
    await caller.stop();
    expect(messages()[1]).toMatchObject({
      type: 'cluster.unknown',
      data: {
        ...{ partition: 'gpu', reminder: 0, code: 'cluster-unknown', remedy: 'start it' },
        message: 'Partition gpu waits for its scheduler: nothing was reported.',
      },
    });
    known = true;
    await start({}, inventory);
    await until(async () => (await db.query('SELECT 1 FROM webhook_conditions')).length === 1);
  });
});
