import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startKafka } from '../scripts/infra/index.js';
import type { ClientFigures } from './kafka-client-work.js';
import { quantile } from './measure.js';
import { count, type Row, report } from './report.js';

const rounds = 3;
const clients = ['kafkajs', 'platformatic'];

/** Measures the clients of the bus beside each other, each in a process of its own, on one broker, in turns. Needs Node 22.22 or newer. */
export async function benchKafkaClients(): Promise<void> {
  const broker = await startKafka({ tuning: 'fast' });
  const figures = new Map<string, ClientFigures[]>(clients.map((client) => [client, []]));
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const client of clients) {
        const program = fileURLToPath(new URL('./kafka-client-work.js', import.meta.url));
        const worker = fork(program, [client, broker.brokers.join(','), `round-${round}`]);
        worker.on('message', (message) => {
          // The first round warms up the broker.
          if (round > 0) {
            figures.get(client)!.push(message as ClientFigures);
            console.error(client, JSON.stringify(message));
          }
        });
        const [code] = await once(worker, 'exit');
        if (code !== 0) throw new Error(`${client} ended with ${code}`);
      }
    }
  } finally {
    await broker.remove();
  }
  report('Clients of Kafka (median of three rounds; in brackets the range)', rowsOf(figures));
}

const parts: [keyof ClientFigures, string][] = [
  ['produced', 'messages of 1 KB produced in batches of 500, per second'],
  ['produceCpu', '… CPU of the client, microseconds per message'],
  ['consumed', 'messages consumed and committed, per second'],
  ['consumeCpu', '… CPU of the client, microseconds per message'],
  ['hop', 'one message to the handler, alone, p50 in milliseconds'],
  ['hopLate', '… p99'],
  ['joined', 'a second member has joined, milliseconds'],
  ['idleCpu', 'CPU of an idle producer and consumer, percent of a core'],
  ['memory', 'resident memory at the end, MB'],
];

function rowsOf(figures: ReadonlyMap<string, ClientFigures[]>): Row[] {
  const [first, second] = clients.map((client) => figures.get(client)!) as [ClientFigures[], ClientFigures[]];
  return parts.map(([part, what]) => ({
    what,
    measured: rangeOf(first.map((one) => one[part])),
    beside: rangeOf(second.map((one) => one[part])),
  }));
}

function rangeOf(values: number[]): string {
  const shown = (value: number) => (value < 100 ? value.toFixed(1) : count(Math.round(value)));
  return `${shown(quantile(values, 0.5))} (${shown(Math.min(...values))}–${shown(Math.max(...values))})`;
}
