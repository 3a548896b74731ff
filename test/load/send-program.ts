import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Message } from 'kafkajs';

/** What `send-program` sends: a message at a time, or a hundred if `everyMs` is 0. */
export interface SendOrder {
  brokers: string[];
  topic: string;
  messages: Message[];
  everyMs: number;
}

const [{ brokers, topic, messages, everyMs }] = (await once(process, 'message')) as [SendOrder];
const kafka = new kafkajs.Kafka({ brokers, clientId: 'bench-sender', logLevel: kafkajs.logLevel.NOTHING });
const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
await producer.connect();
const size = everyMs > 0 ? 1 : 100;
const began = performance.now();
for (let from = 0; from < messages.length; from += size) {
  const early = began + (from / size) * everyMs - performance.now();
  if (early > 0) await delay(early);
  await producer.send({ topic, messages: messages.slice(from, from + size) });
}
await producer.disconnect();
process.disconnect();
