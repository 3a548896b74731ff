import { afterAll, beforeAll } from '@jest/globals';
import { BullmqWakeUpQueue } from '#timers';
import { wakeUpQueueContract } from '../../../../test/contracts/wake-up-queue.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';

let server: TestDatabase;
beforeAll(async () => {
  server = await createTestDatabase();
});
afterAll(() => server.drop());

wakeUpQueueContract('BullMQ on PostgreSQL', (test, settings) =>
  BullmqWakeUpQueue.openOnPostgres({ databaseUrl: server.url, name: `wake-ups-${test}`, ...settings }),
);
