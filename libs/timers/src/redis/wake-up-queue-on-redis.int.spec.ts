import { BullmqWakeUpQueue } from '#timers';
import { wakeUpQueueContract } from '../../../../test/contracts/wake-up-queue.js';
import { testRedis } from '../../../../test/support/redis.js';

const { url, prefix } = testRedis();

wakeUpQueueContract('BullMQ on Redis', async (test, settings) => {
  const wakeUpQueue = BullmqWakeUpQueue.openOnRedis({
    redis: { url, prefix },
    name: `wake-ups-${test}`,
    checkMs: 20,
    ...settings,
  });
  // It connects in its own time.
  await new Promise<void>((resolve) => wakeUpQueue.whenForgotten(async () => resolve()));
  return wakeUpQueue;
});
