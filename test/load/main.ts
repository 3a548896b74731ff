// Before Curtail gives the client records of its own: here it keeps those that it has, for it is what stands beside.
import 'kafkajs/src/protocol/requests/produce/v3/request.js';
import 'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js';
import { availableParallelism, totalmem } from 'node:os';
import { loadAverage } from '../../bench/measure.js';
import { setUp, type Three } from '../../scripts/infra/index.js';
import { progress } from './progress.js';
import { type Scale, small, whole } from './scale.js';
import { warmUpBroker, withServers } from './servers.js';

/** The parts, in the order in which they run. */
const parts: Record<string, (three: Three, scale: Scale) => Promise<void>> = {
  ingest: async (...words) => (await import('./ingest.js')).benchIngest(...words),
  intake: async (...words) => (await import('./intake.js')).benchIntake(...words),
  inventory: async (...words) => (await import('./inventory.js')).benchInventory(...words),
  idle: async (...words) => (await import('./idle.js')).benchDistributedIdle(...words),
  steady: async (...words) => (await import('./steady.js')).benchSteady(...words),
  runs: async (...words) => (await import('./runs.js')).benchRuns(...words),
  sustained: async (...words) => (await import('./sustained.js')).benchSustained(...words),
  due: async (...words) => (await import('./due.js')).benchDistributedDue(...words),
  burst: async (...words) => (await import('./burst.js')).benchBurst(...words),
  replay: async (...words) => (await import('./replay.js')).benchDistributedReplay(...words),
  partitions: async (...words) => (await import('./partitions.js')).benchPartitions(...words),
  large: async (...words) => (await import('./large.js')).benchLarge(...words),
  queues: async (...words) => (await import('./queues.js')).benchQueues(...words),
};
/** They take many minutes, and run only where they are named. */
const onlyIfNamed = new Set(['large', 'partitions', 'queues']);

/** Runs the parts that are named, or all. Resolves to the exit status: a target that is missed is no failure. */
export async function benchDistributed(words: string[]): Promise<number> {
  const wanted = words.filter((word) => word !== '--small');
  const scale = words.includes('--small') ? small : whole;
  const unknown = wanted.filter((name) => !(name in parts));
  if (unknown.length > 0) {
    console.error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
    return 2;
  }
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB of memory, load average ${loadAverage()}`,
  );
  await setUp({ progress });
  await withServers(async (three) => {
    await warmUpBroker(three);
    for (const [name, run] of Object.entries(parts)) {
      if (wanted.length > 0 ? !wanted.includes(name) : onlyIfNamed.has(name)) continue;
      await run(three, scale).catch((error: Error) =>
        progress(`${name} could not be measured: ${error.message}`),
      );
    }
  });
  return 0;
}
