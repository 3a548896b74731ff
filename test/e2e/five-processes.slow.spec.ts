import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { place } from '#clusters';
import type { WebhookMessage } from '#contracts/api';
import { openDatabase } from '#event-store';
import { until } from '../faults/until.js';
import { assertBuilt } from '../support/curtail-process.js';
import { createMigratedDatabase } from '../support/database.js';
import { configuration } from '../support/queue-spec.js';
import { onOwnKafkaAndRedis, ServiceGroup } from '../support/service-group.js';
import { withConstants } from '../support/with-constants.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A receiver of webhooks. */
async function receiver() {
  const received: { headers: Record<string, string>; body: string }[] = [];
  let arrived = () => {};
  const first = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    response.writeHead(204).end();
    arrived();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    first,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

it.each([
  ['one PostgreSQL', () => ({})],
  ['Kafka, Redis and PostgreSQL', onOwnKafkaAndRedis],
])(
  'five processes on %s do what one does: a lowered quota becomes evictions, once they are approved, by the settings in force',
  async (_servers, shape) => {
    await assertBuilt();
    const database = await createMigratedDatabase();
    const db = await openDatabase(database.url);
    const webhook = await receiver();
    const services = await ServiceGroup.start({
      ...shape(),
      DATABASE_URL: database.url,
      CURTAIL_GRACE_SECONDS: '0',
      CURTAIL_APPROVE_ABOVE_VICTIMS: '1',
      CURTAIL_WEBHOOK_URL: webhook.url,
      CURTAIL_WEBHOOK_SECRET: secret,
      // Only a wake-up is in time.
      ...withConstants({ sweepMilliseconds: 60_000 }),
    });
    const { url } = services.of('console');
    try {
      await place(db, 'default', {
        applications: [{ id: 'app', queue: 'root.a' }],
        allocations: [1, 2, 3, 4, 5].map((i) => ({
          id: `app-${i}`,
          application: 'app',
          queue: 'root.a',
          resources: { memory: 20 },
          startedAt: `2026-01-01T00:0${i}:00Z`,
        })),
      });
      const apply = async (memory: number) => {
        const spec = configuration('default', { a: { max: { memory }, delay: '200ms' } });
        const applied = await fetch(`${url}/v1/partitions/default/config`, {
          method: 'PUT',
          body: JSON.stringify(spec),
          headers: { 'Content-Type': 'application/json' },
        });
        return [applied.status, await applied.json()];
      };
      expect(await apply(60)).toEqual([200, expect.objectContaining({ version: 2 })]);
      await webhook.first;
      const [{ body, headers }] = webhook.received as [(typeof webhook.received)[number]];
      const { type, data } = new Webhook(secret).verify(body, headers) as WebhookMessage;
      expect({ type, ...data }).toMatchObject({
        type: 'run.waits-for-approval',
        queue: 'root.a',
        victims: 2,
      });
      const approved = await fetch(`${url}/v1/enforcements/${data.enforcement}/approve`, {
        method: 'POST',
        body: '{"by": "ann"}',
        headers: { 'Content-Type': 'application/json' },
      });
      expect(approved.ok).toBe(true);
      await until(
        async () => database.url,
        "SELECT count(*) = 1 FROM read_runs WHERE state = 'ended' AND outcome IS NOT NULL",
        () => 'the run has not ended',
      );
      const { items } = (await (await fetch(`${url}/v1/enforcements`)).json()) as { items: object[] };
      expect(items).toEqual([
        expect.objectContaining({ queue: 'root.a', outcome: 'satisfied', evicted: 2, victims: 2 }),
      ]);
      const evicted = await db.query('SELECT allocation FROM simulated_evictions ORDER BY id');
      expect(evicted).toEqual([{ allocation: 'app-5' }, { allocation: 'app-4' }]);

      // Planner and executor read what an operator sets through the console, without a restart: two victims need no approval now.
      const overridden = await fetch(`${url}/v1/partitions/default/settings`, {
        method: 'PATCH',
        body: JSON.stringify({
          queue: 'root.a',
          settings: {
            protect: { allocations: ['app-3'] },
            approveAboveVictims: 100,
            approveAbovePercent: 100,
          },
          by: 'ann',
        }),
        headers: { 'Content-Type': 'application/json' },
      });
      expect(overridden.status).toBe(200);
      expect(await apply(20)).toEqual([200, expect.anything()]);
      await until(
        async () => database.url,
        "SELECT count(*) = 2 FROM read_runs WHERE state = 'ended' AND outcome IS NOT NULL",
        () => 'the run with the new settings has not ended',
      );
      expect(await db.query('SELECT allocation FROM simulated_evictions ORDER BY id OFFSET 2')).toEqual([
        { allocation: 'app-2' },
        { allocation: 'app-1' },
      ]);
      expect(webhook.received).toHaveLength(1);
      for (const service of services.services) {
        expect([service.app, (await fetch(`${service.url}/readyz`)).status]).toEqual([service.app, 200]);
      }
    } finally {
      expect(await services.stop()).toEqual([0, 0, 0, 0, 0]);
      webhook.close();
      await db.destroy();
      await database.drop();
    }
  },
);
