import { topics } from '#contracts/events';
import { openDatabase, WakeListener } from '#event-store';
import { InProcessBus } from '#messaging';
import { type ClusterUnderTest, clusterDriverContract } from '../../../../test/contracts/cluster-driver.js';
import { createMigratedDatabase } from '../../../../test/support/database.js';
import { ReportingPlatform, requestsAmong } from '../../../../test/support/reporting-platform.js';
import { AnswerWakeUps } from './answer-wake-ups.js';
import { EvictionAnswers } from './eviction-answers.js';
import { EvictionRequests } from './eviction-requests.js';
import { InventoryCluster } from './inventory-cluster.js';

/** Reports go straight to their consumer; requests for eviction go the way of every event. */
clusterDriverContract('inventory', async (): Promise<ClusterUnderTest> => {
  const server = await createMigratedDatabase();
  const db = await openDatabase(server.url);
  const wake = new WakeListener(server.url);
  const wakeUps = new AnswerWakeUps();
  const platform = new ReportingPlatform(db, 'contract', new EvictionAnswers(db, wakeUps));
  const now = () => platform.now;
  const bus = new InProcessBus({ database: db, wake });
  bus.subscribe({
    name: 'platform',
    topics: [topics.evictionRequests],
    async handle(events) {
      for (const request of requestsAmong(events)) await platform.answer(request);
      return undefined;
    },
  });
  await wake.start();
  await bus.start();
  return {
    db,
    driver: new InventoryCluster(db, new EvictionRequests(db, wakeUps, { answerSeconds: 30, now }), {
      staleSeconds: 60,
      now,
    }),
    fill: (_partition, work) => platform.list(work),
    async recreate(_partition, allocation) {
      await platform.release(allocation.id);
      await platform.start(allocation);
    },
    async refuse(_partition, { id }, times) {
      platform.refuse(id, times);
    },
    pass: (seconds) => platform.pass(seconds),
    async close() {
      await bus.stop();
      await wake.stop();
      await db.destroy();
      await server.drop();
    },
  };
});
