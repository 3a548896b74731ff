import { createRequire } from 'node:module';

/**
 * `node --import crash-at.mjs <program>`: ends the process with SIGKILL at a named point of its work, recognized by its statements to
 * the database. CURTAIL_TEST_CRASH_AT holds JSON:
 *
 *     { "moment": "after commit", "all": ["io.curtail.victim.ordered.v1", "root.a.q0"], "nth": 1 }
 *
 * - `signal`: another one. SIGSTOP freezes the process there until it gets SIGCONT.
 * - `all`: texts that one statement has, in its words or its values. The nth such statement is meant.
 * - `moment`: `before commit`: of its transaction, which is thus given up; `after commit`: the moment the database has
 *   answered, before the program receives the answer. A statement outside a transaction commits by itself.
 */
const { moment, all, nth = 1, signal = 'SIGKILL' } = JSON.parse(process.env.CURTAIL_TEST_CRASH_AT);
const { Client } = createRequire(import.meta.url)('pg');
const query = Client.prototype.query;
const inTransaction = new WeakSet();
const armed = new WeakSet();
let seen = 0;

const crash = () => process.kill(process.pid, signal);

function isMeant(statement) {
  if (!all.every((text) => statement.includes(text))) return false;
  seen += 1;
  return seen === nth;
}

Client.prototype.query = function (config, values, callback) {
  const text = typeof config === 'string' ? config : (config?.text ?? '');
  const given = Array.isArray(values) ? values : (config?.values ?? []);
  if (/^\s*(BEGIN|START TRANSACTION)\b/i.test(text)) inTransaction.add(this);
  if (/^\s*ROLLBACK\b/i.test(text)) armed.delete(this);
  if (isMeant(`${text} ${JSON.stringify(given)}`)) armed.add(this);
  const ends = /^\s*(COMMIT|ROLLBACK)\b/i.test(text);
  const commits = /^\s*COMMIT\b/i.test(text) || !inTransaction.has(this);
  if (ends) inTransaction.delete(this);
  // Disarmed at once: a statement may follow the commit before its answer, and must not count as the commit.
  if (!commits || !armed.delete(this)) return query.call(this, config, values, callback);
  if (moment === 'before commit') crash();
  return query.call(this, config, values, callback).then((result) => {
    crash();
    return result;
  });
};
