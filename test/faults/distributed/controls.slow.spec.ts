import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assertBuilt } from '../../support/curtail-process.js';
import { proves, withoutInbox, withoutTurns } from './controls.js';
import type { Ground } from './servers.js';
import { sharedGround } from './shared-ground.js';
import { Stage } from './stage.js';

const seed = Number(process.env.CURTAIL_TEST_SEED ?? Math.floor(Math.random() * 1e6));

const controls = [
  ['executors that take no turns', withoutTurns],
  ['consumers that remember nothing', withoutInbox],
] as const;

describe(`the audit of the distributed system (CURTAIL_TEST_SEED=${seed})`, () => {
  let stage: Stage<Ground>;
  beforeAll(async () => {
    await assertBuilt();
    stage = await Stage.on(await sharedGround());
  });
  afterAll(() => stage?.remove());

  // One of them by chance, since each takes a minute; `npm run test:faults` plays both.
  it.each([controls[seed % controls.length]!])('finds what comes of %s', async (_what, play) => {
    const control = await play({ stage, seed, progress: () => {} });
    expect(control.withIt).toEqual([]);
    expect(control.withoutIt).toContainEqual(expect.stringContaining(`${control.check}: `));
    expect(proves(control)).toBe(true);
  });
});
