import { BullmqDoorbell } from '@curtail/timers';
import { afterAll, beforeAll } from '@jest/globals';
import { doorbellContract } from '../../../../test/contracts/doorbell.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';

let server: TestDatabase;
beforeAll(async () => {
  server = await createTestDatabase();
});
afterAll(() => server.drop());

doorbellContract('BullMQ on PostgreSQL', (test, settings) =>
  BullmqDoorbell.openOnPostgres({ databaseUrl: server.url, name: `doorbell-${test}`, ...settings }),
);
