import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import type { Republisher } from '#messaging';
import { logMessages, Publisher } from '#messaging/kafka';
import { createMigratedDatabase, type TestDatabase } from '../../../../../test/support/database.js';
import { writeGeneratedLog } from '../../../../../test/support/generated-log/write.js';
import { TestKafka } from '../../../../../test/support/kafka.js';
import { byTest, replaysOn } from '../../../../../test/support/replays.js';

const topic = 'curtail.plans';

let server: TestDatabase;
let db: DataSource;
let kafka: TestKafka;
let publisher: Publisher;
beforeEach(async () => {
  server = await createMigratedDatabase();
  db = await openDatabase(server.url);
  kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`, { partitions: 1 });
  await kafka.topics.ready();
  publisher = new Publisher(kafka.connection, logMessages);
  await writeGeneratedLog(db, 12_000);
});
afterEach(async () => {
  await publisher.close();
  await kafka.close();
  await db.destroy();
  await server.drop();
});

const republisher = (): Republisher => ({
  republish: (events) => publisher.publish(events, { replayed: true }),
  close: () => publisher.close(),
});

interface Message {
  id: string;
  replayed: string | undefined;
  key: string;
  value: string;
}

/** This many messages from the beginning of the topic. */
async function received(count: number): Promise<Message[]> {
  const consumer = kafka.connection.consumer(kafka.connection.groupName('outsider'));
  const messages: Message[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic: kafka.connection.topicName(topic), fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message: { headers, key, value } }) => {
          messages.push({
            id: String(headers?.ce_id),
            replayed: headers?.ce_replayed?.toString(),
            key: String(key),
            value: String(value),
          });
          if (messages.length >= count) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return messages;
}

const recorded = (): Promise<Message[]> =>
  db.query(
    `SELECT id, 'true' AS replayed, key, data::text AS value FROM events WHERE topic = $1 ORDER BY events.position`,
    [topic],
  );

describe('a republication', () => {
  it('sends what was recorded once more, with the same ids and to the letter, marked', async () => {
    const expected = await recorded();
    const running = await replaysOn(db, republisher()).begin('kafka', { topic }, byTest);
    expect(running.of).toBe(expected.length);
    expect(await running.finished).toEqual({ topic, events: expected.length });
    expect(await received(expected.length)).toEqual(expected);
  });

  it('sends what happened within a time', async () => {
    const times = await db.query('SELECT time FROM events WHERE topic = $1 ORDER BY events.position', [
      topic,
    ]);
    const [from, to] = [times[10].time.toISOString(), times[20].time.toISOString()];
    const running = await replaysOn(db, republisher()).begin('kafka', { topic, from, to }, byTest);
    await running.finished;
    expect(await received(10)).toEqual((await recorded()).slice(10, 20));
  });

  it('cut off, it continues behind the last page that the brokers had', async () => {
    const expected = await recorded();
    let pages = 0;
    const breaking: Republisher = {
      ...republisher(),
      republish: async (events) => {
        if (++pages === 3) throw new Error('the brokers are gone');
        await publisher.publish(events, { replayed: true });
      },
    };
    const replays = replaysOn(db, breaking);
    const running = await replays.begin('kafka', { topic }, byTest);
    await expect(running.finished).rejects.toThrow('the brokers are gone');
    const failed = await replays.one(running.replay);
    expect(failed).toMatchObject({ state: 'failed', message: 'the brokers are gone' });
    const again = await replays.begin('kafka', { topic }, byTest);
    expect(again).toMatchObject({ replay: running.replay, resumed: true, done: failed!.done });
    expect(await again.finished).toEqual({ topic, events: expected.length });
    expect(await received(expected.length)).toEqual(expected);
  });
});
