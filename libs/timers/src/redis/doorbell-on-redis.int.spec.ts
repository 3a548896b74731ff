import { BullmqDoorbell } from '@curtail/timers';
import { doorbellContract } from '../../../../test/contracts/doorbell.js';
import { testRedis } from '../../../../test/support/redis.js';

const { url, prefix } = testRedis();

doorbellContract('BullMQ on Redis', async (test, settings) => {
  const bell = BullmqDoorbell.openOnRedis({
    redis: { url, prefix },
    name: `doorbell-${test}`,
    lookMs: 20,
    ...settings,
  });
  // It connects in its own time.
  await new Promise<void>((resolve) => bell.whenForgotten(async () => resolve()));
  return bell;
});
