import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario } from '../play.js';

const mostAgain = 1500;

export const deliveredAgain: Scenario = {
  name: 'delivered-again',
  title: 'what was published is delivered again, in an order of chance, twice',
  async play({ stage: { wire }, chance, progress }) {
    for (let times = 1; times <= 2; times++) {
      // Not the poison of others, which would be put aside once more.
      const messages = (await wire.read()).filter(({ message }) => {
        const position = message.headers?.ce_position;
        return position !== undefined && position.toString() !== envelope.ce_position;
      });
      progress(`${Math.min(messages.length, mostAgain)} messages again`);
      await wire.repeat(messages.slice(-mostAgain), chance);
      await delay(chance.between(200, 1000));
    }
  },
};

const envelope = {
  ce_specversion: '1.0',
  ce_id: '00000000-0000-4000-8000-000000000000',
  ce_source: '/curtail/default',
  ce_partition: 'default',
  ce_type: 'io.curtail.quota.changed.v1',
  ce_transactionid: '9000000000',
  ce_position: '0',
  'content-type': 'application/json',
};

/** Each has a reason of its own for which it is not taken for an event of the log, and the field that states it. */
const poisons: { headers: Record<string, string>; value: string | null; field: string }[] = [
  { headers: envelope, value: '{"partition":"default"}', field: 'ce_id' },
  { headers: { ...envelope, ce_source: '/another/else' }, value: '{"partition":7}', field: 'ce_source' },
  { headers: { ...envelope, ce_transactionid: 'none' }, value: null, field: 'ce_transactionid' },
  { headers: {}, value: 'no headers at all', field: 'ce_specversion' },
];

export const poisoned: Scenario = {
  name: 'poisoned',
  title: 'messages that cannot be handled lie between the others of their queues',
  // The timer puts all of them aside; the executor reads no other quota changes, but one of them has no type.
  deadLetters: poisons.length + 1,
  async play({ stage, progress }) {
    const queues = await stage.ask<{ key: string }>(
      `SELECT DISTINCT key FROM events WHERE topic = 'curtail.quota' AND type = 'io.curtail.quota.changed.v1' LIMIT 4`,
    );
    progress('poison lies on curtail.quota');
    await stage.wire.send(
      poisons.map(({ headers, value }, index) => ({
        topic: 'curtail.quota',
        message: { key: queues[index % queues.length]!.key, value, headers },
      })),
    );
    await stage.until(
      'all of it is put aside',
      `SELECT count(*) >= ${poisons.length} FROM dead_letters WHERE origin IS NOT NULL`,
    );
    const letters = (await stage.wire.read()).filter(({ topic }) => topic === 'curtail.dead-letters');
    const fields = letters.map(({ message }) => message.headers?.curtail_field?.toString());
    const missing = poisons.filter(({ field }) => !fields.includes(field));
    if (missing.length > 0) {
      throw new Error(
        `no dead letter names ${missing.map(({ field }) => field).join(', ')}; they name ${fields.join(', ')}`,
      );
    }
  },
};
