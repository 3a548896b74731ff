import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * `node --import kills-apart.mjs <program>`: puts time between the check of a victim and its kill, as a slow cluster would.
 * CURTAIL_TEST_TURNS=off also takes away what keeps others from killing meanwhile: the locks of the database that are the
 * turns of executors. So a test can see what the turns are there for.
 */
const kill = 'INSERT INTO simulated_evictions';
const turn = /count\(pg_advisory_lock\(.*\)\)/s;
const betweenMs = 120;
const hasTurns = process.env.CURTAIL_TEST_TURNS !== 'off';
const { Client } = createRequire(import.meta.url)('pg');
const query = Client.prototype.query;

Client.prototype.query = function (config, ...words) {
  const text = typeof config === 'string' ? config : (config?.text ?? '');
  if (!hasTurns && turn.test(text)) {
    // Still asks for its parameters, which come with it.
    const without = `SELECT set_config('idle_session_timeout', $2, false), cardinality($1::text[])`;
    return query.call(this, { ...config, name: 'no-turn', text: without }, ...words);
  }
  if (!text.includes(kill)) return query.call(this, config, ...words);
  return delay(betweenMs).then(() => query.call(this, config, ...words));
};
