import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Chance } from '../../support/chance.js';
import { assertBuilt } from '../../support/curtail-process.js';
import { play } from './play.js';
import { reportOf } from './report.js';
import { scenarioNamed } from './scenarios/index.js';
import { type ClusterKind, Stage } from './stage.js';

const seed = Number(process.env.CURTAIL_TEST_SEED ?? Math.floor(Math.random() * 1e6));

const chance = new Chance(seed);
const oneOf = (names: string[]): string => names[Math.floor(chance.between(0, names.length))]!;

/**
 * A choice of those that `npm run test:faults` plays, by chance: each takes a minute. With the simulated cluster: one fault of a
 * service or a server, and one of what the brokers bring. With a platform that reports: its reports are not read.
 */
const chosen: [cluster: ClusterKind, names: string[]][] = [
  [
    'simulated',
    [
      oneOf(['executor-lost', 'planners-frozen', 'kafka-killed', 'postgres-hole', 'redis-killed']),
      'delivered-again',
    ],
  ],
  ['inventory', ['reports-stale']],
];

describe.each(chosen)(
  `the distributed system under load, %s cluster (CURTAIL_TEST_SEED=${seed})`,
  (cluster, names) => {
    let stage: Stage;
    beforeAll(async () => {
      await assertBuilt();
      stage = await Stage.open({ cluster });
    });
    afterAll(() => stage?.remove());

    it.each(names.map((name) => scenarioNamed(name)).map((scenario) => [scenario.title, scenario] as const))(
      'does all it accepted, once and in time, when %s',
      async (_title, scenario) => {
        const outcome = await play(scenario, stage, { seed, perSecond: 6 });
        process.stdout.write(`${reportOf(outcome)}\n`);
        expect(outcome.findings).toEqual([]);
        // The test is worth nothing if nothing happened in it.
        expect(outcome.kills).toBeGreaterThan(2);
      },
    );

    it('ends in order', () => stage.end());
  },
);
