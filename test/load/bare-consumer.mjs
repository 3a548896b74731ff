/**
 * The floor of messages that arrive: a consumer that parses each and inserts a row for it in a transaction of its own. A process, so that
 * its core time is its own. It says when it has joined its group, and after every message how many it has.
 */
import kafkajs from 'kafkajs';
import pg from 'pg';

const [brokers, topics, group, databaseUrl] = process.argv.slice(2);
const kafka = new kafkajs.Kafka({
  brokers: brokers.split(','),
  clientId: group,
  logLevel: kafkajs.logLevel.NOTHING,
});
const database = new pg.Client({ connectionString: databaseUrl });
await database.connect();
await database.query('CREATE TABLE IF NOT EXISTS bare_messages (id uuid PRIMARY KEY, subject text)');
const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 1000 });
consumer.on(consumer.events.GROUP_JOIN, () => process.send('joined'));
await consumer.connect();
await consumer.subscribe({ topics: topics.split(',') });
let handled = 0;
await consumer.run({
  eachMessage: async ({ message }) => {
    const { partition } = JSON.parse(String(message.value));
    await database.query('BEGIN');
    await database.query({
      name: 'insert',
      text: 'INSERT INTO bare_messages VALUES ($1, $2)',
      values: [String(message.headers.ce_id), partition],
    });
    await database.query('COMMIT');
    process.send(++handled);
  },
});
