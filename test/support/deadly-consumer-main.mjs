/**
 * `node deadly-consumer-main.mjs <database url> <brokers> <prefix>`: a consumer of markers in a process of its own, of the built
 * program. It ends with the marker `deadly`: without brokers its memory does not suffice for it, over Kafka it is killed. Says on a
 * line of its own what it has committed.
 */
const built = (path) => import(new URL(`../../dist/libs/${path}`, import.meta.url).href);
const { openDatabase, WakeListener } = await built('event-store/src/index.js');
const { InProcessBus } = await built('messaging/src/index.js');
const [url, brokers, prefix] = process.argv.slice(2);
const database = await openDatabase(url);

const consumer = {
  name: 'one',
  topics: ['curtail.control'],
  async handle(events) {
    const names = events.map(({ data }) => data.by);
    if (names.includes('deadly')) end();
    return async (tx) => {
      await tx.query("INSERT INTO records (consumer, name) SELECT 'one', unnest($1::text[])", [names]);
      return () => {
        for (const name of names) process.stdout.write(`committed ${name}\n`);
      };
    };
  },
};

function end() {
  if (brokers) process.kill(process.pid, 'SIGKILL');
  for (const all = []; ; ) all.push(new Array(1_000_000).fill(all.length));
}

async function makeBus() {
  if (brokers) {
    const { KafkaBus, openKafka, planTopics, TopicKeeper } = await built('messaging/src/kafka/index.js');
    const patience = {
      heartbeatIntervalMs: 100,
      sessionTimeoutMs: 1000,
      rebalanceTimeoutMs: 1000,
      maxWaitMs: 50,
      requestTimeoutMs: 3000,
    };
    const connection = openKafka({
      brokers: brokers.split(','),
      clientId: 'test',
      topicPrefix: prefix,
      ...patience,
    });
    const topics = new TopicKeeper(connection, { topics: planTopics({ partitions: 1 }), manage: true });
    return new KafkaBus({ connection, database, topics });
  }
  const wake = new WakeListener(url);
  await wake.start();
  return new InProcessBus({ database, wake });
}

const bus = await makeBus();
bus.subscribe(consumer);
await bus.start();
