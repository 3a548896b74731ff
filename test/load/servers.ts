import { withFolder } from '../../bench/temporary-folder.js';
import { openThree, startThree, stopThree, type Three } from '../../scripts/infra/index.js';
import { bareProducer, joinOnce } from './bare-clients.js';
import { progress } from './progress.js';

const warmUpMs = 20_000;

/** Does the work on three servers of its own, which are gone afterwards, however it ends. */
export async function withServers<T>(work: (three: Three) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    progress('starting Kafka, Redis and PostgreSQL');
    const three = await openThree({ folder, tuning: 'fast' });
    try {
      await startThree(three);
      return await work(three);
    } finally {
      await stopThree(three);
    }
  });
}

/** A broker compiles itself during its first seconds of load, on the cores that are to be measured. */
export async function warmUpBroker({ kafka }: Three): Promise<void> {
  progress(`the broker takes ${warmUpMs / 1000} s of load`);
  const producer = await bareProducer(kafka.brokers, 'warm-up');
  try {
    const messages = Array.from({ length: 100 }, (_, i) => ({ key: `${i}`, value: 'x'.repeat(600) }));
    for (const until = performance.now() + warmUpMs; performance.now() < until; ) {
      await producer.send(messages);
      await producer.send(messages.slice(0, 1));
    }
    // The first group that joins has the broker make the topic of the offsets, and has to wait for that.
    await joinOnce(kafka.brokers, 'warm-up');
  } finally {
    await producer.close();
  }
}
