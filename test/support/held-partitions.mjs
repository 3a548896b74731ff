import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * `node --import held-partitions.mjs <program>`: consumers leave the Kafka partitions alone that the file CURTAIL_TEST_HELD
 * names, one a line (`curtail.enforcement/3`, with the prefix of the topics), and read on where they were as soon as it names
 * them no more. All other partitions flow. It is what a slow leader of one partition does to its readers.
 */
const file = process.env.CURTAIL_TEST_HELD ?? '';
const askEveryMs = 50;
const { Kafka } = createRequire(import.meta.url)('kafkajs');
const { consumer } = Kafka.prototype;

Kafka.prototype.consumer = function (options) {
  const made = consumer.call(this, options);
  const run = (config) =>
    made.run({ ...config, eachBatch: (payload) => hold(payload) ?? config.eachBatch(payload) });
  return { ...made, run };
};

/** @returns undefined if the batch is to be handled. */
function hold({ batch, pause }) {
  if (!isHeld(batch)) return undefined;
  const resume = pause();
  const timer = setInterval(() => {
    if (isHeld(batch)) return;
    clearInterval(timer);
    resume();
  }, askEveryMs);
  timer.unref();
  return Promise.resolve();
}

function isHeld({ topic, partition }) {
  return held().includes(`${topic}/${partition}`);
}

function held() {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
