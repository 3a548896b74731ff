import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StatusView } from '#contracts/api';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { giveOddDefaults } from '../support/odd-defaults.js';

/** It makes its tables, sets clocks, plans, evicts, replays and answers in a database that belongs to someone with other habits. */
describe('Curtail in a database whose defaults are odd', () => {
  let database: TestDatabase;
  let system: EmbeddedSystem;
  beforeAll(async () => {
    database = await createTestDatabase();
    await giveOddDefaults(database.url);
    system = await EmbeddedSystem.start({ reconcileSeconds: 1 }, database);
  });
  afterAll(async () => {
    await system?.stop();
    await database?.drop();
  });

  it('plays a whole run, and puts nothing aside', async () => {
    const partition = system.partition();
    const queue = 'root.a';
    await partition.run({ queue, count: 5, resources: { memory: 20 }, user: 'ann' });
    const before = Date.now();
    await partition.configure({ a: { max: { memory: 40 }, delay: '1h' } });
    const { data: clock } = await partition.event('EnforcementScheduled', queue);
    expect(Math.abs(Date.parse(clock.dueAt) - before - 3_600_000)).toBeLessThan(600_000);
    const dueAt = new Date(Date.now() + 86_400_000).toISOString();
    await system.request('POST', '/v1/freezes', { partition: partition.name, until: dueAt, by: 'ann' });
    await partition.configure({ a: { max: { memory: 40 }, delay: '20ms' } });
    await partition.event('EnforcementRescheduled', queue, 2);
    await system.request('DELETE', `/v1/freezes?partition=${partition.name}`);
    expect((await partition.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 3 });
    await partition.settled();
    const enforcement = clock.enforcement;
    expect(await system.get(`/v1/enforcements/${enforcement}`)).toMatchObject({
      state: 'ended',
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const answer = await system.request('POST', '/v1/replays', { into: 'projections' });
    expect(answer.status).toBeLessThan(300);
    const status = await system.get<StatusView>('/v1/status');
    expect(status).toMatchObject({ deadLetters: 0, attention: [] });
  });
});
