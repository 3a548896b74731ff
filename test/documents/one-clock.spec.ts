import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

/** Where the clock of the process may be checked, and why that decides nothing. */
const allowed = [
  // Read by people on the same machine.
  /^apps\/curtail\/src\/cli\//,
  // An agent has no database: Curtail measures its skew, and no decision of an agent compares clocks.
  /^apps\/agent\/src\/kubernetes\/open-kubernetes\.ts:.*machineNow/,
  // Whether a token is to be renewed; the server that takes it judges by its own clock.
  /^libs\/agents\/src\/kubernetes\/identity-provider\.ts:/,
  /^apps\/console\/web\/src\/api\/login\.ts:/,
  // Its own skew, to show it.
  /^libs\/event-store\/src\/database-clock\.ts:/,
  // BullMQ goes by it, and gets a span added to it.
  /^libs\/timers\/src\/bullmq-wake-up-queue\.ts:.*moveToDelayed/,
  // A time limit of kafkajs, which keeps when it sent a request by this clock.
  /^libs\/messaging\/src\/kafka\/kafkajs-patches\/quiet-requests\.ts:.*sentAt/,
  // How long something took.
  /^libs\/(runtime\/src\/kept-postgres\.ts:|platform\/src\/postgres\/(processes\.ts:|server-start\.ts:.*readyWithinMs))/,
  // When a page asks again; the server decides.
  /^apps\/console\/web\/src\/views\/overview\/freezes\.ts:/,
  // Whether a named token has expired: each process judges for itself, as it does with the tokens of an issuer.
  /^libs\/platform\/src\/access\/access-control\.ts:.*expires/,
  // How old something is that the console passes on: half a minute is more than the clocks of two services differ by.
  /^libs\/platform\/src\/access\/passed-on\.ts:.*madeAt/,
  // The begin of the work of a sample, a load or a scenario.
  /^libs\/clusters\/src\/simulated\//,
];

it('nothing is decided by the clock of a process', async () => {
  const search = ['grep', '-nE', String.raw`new Date\(\)|Date\.now\(\)`, '--', 'apps/*.ts', 'libs/*.ts'];
  const { stdout } = await promisify(execFile)('git', search);
  const found = stdout
    .split('\n')
    .filter((line) => line !== '' && !/^[^:]*(\.spec\.ts|\/testing\/[^:]*|\/test\/[^:]*):/.test(line));
  expect(found.filter((line) => !allowed.some((place) => place.test(line)))).toEqual([]);
});
