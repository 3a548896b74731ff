import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assertBuilt } from '../../support/curtail-process.js';
import { play } from './play.js';
import { told } from './report.js';
import { scenarioNamed } from './scenarios/index.js';
import { Stage } from './stage.js';

const seed = Number(process.env.CURTAIL_TEST_SEED ?? Math.floor(Math.random() * 1e6));
const longestMs = 300_000;

/** A choice of those that `npm run test:faults` plays: a process, each server, the way to one, and what the brokers bring. */
const chosen = ['executor-lost', 'kafka-killed', 'postgres-hole', 'redis-killed', 'delivered-again'];

describe(`the distributed system under load (CURTAIL_TEST_SEED=${seed})`, () => {
  let stage: Stage;
  beforeAll(async () => {
    await assertBuilt();
    stage = await Stage.open();
  }, longestMs);
  afterAll(() => stage?.remove(), longestMs);

  it.each(chosen.map((name) => scenarioNamed(name)).map((scenario) => [scenario.title, scenario] as const))(
    'does all it accepted, once and in time, when %s',
    async (_title, scenario) => {
      const outcome = await play(scenario, stage, { seed, perSecond: 6 });
      process.stdout.write(`${told(outcome)}\n`);
      expect(outcome.findings).toEqual([]);
      // The test is worth nothing if nothing happened in it.
      expect(outcome.kills).toBeGreaterThan(10);
    },
    longestMs,
  );

  it('ends in order', () => stage.end(), longestMs);
});
