import { WakeListener } from '@curtail/event-store';
import { InProcessBus } from '@curtail/messaging';
import { eventBusContract } from '../../../test/contracts/event-bus.js';

eventBusContract('in process', async ({ url, ...options }) => {
  const wake = new WakeListener(url);
  await wake.start();
  return { bus: new InProcessBus({ ...options, wake }), close: () => wake.stop() };
});
