import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TestPartition } from '../support/test-partition.js';

const tokenOf = (name: string) => `the-token-of-${name}`;

let system: EmbeddedSystem;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const [tokensFile, policyFile] = [join(folder.path, 'tokens.yaml'), join(folder.path, 'policy.yaml')];
  const entries = ['sam', 'olga'].map((name) => {
    const sha256 = createHash('sha256').update(tokenOf(name)).digest('hex');
    return `  - {name: ${name}, sha256: ${sha256}, role: admin}`;
  });
  await writeFile(tokensFile, ['tokens:', ...entries].join('\n'));
  await writeFile(policyFile, 'twoPersonRule: true\n');
  system = await EmbeddedSystem.start({
    ...{ tokensFile, policyFile, approveAboveVictims: 0, token: 'a-token-of-administrators' },
  });
});
afterAll(async () => {
  await system?.stop();
  await folder?.remove();
});

async function send(who: string, method: string, path: string, body?: object) {
  const response = await fetch(system.url + path, {
    method,
    headers: { authorization: `Bearer ${tokenOf(who)}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { type } = (await response.json()) as { type?: string };
  return { status: response.status, type };
}

it('twoPersonRule lets another person approve a run, and not the sender of its configuration', async () => {
  const partition = new TestPartition(system, 'two');
  await partition.run({ queue: 'root.a', count: 3, resources: { memory: 10 } });
  const lowered = (memory: number) => ({
    partitions: [
      {
        name: 'two',
        preemption: { quotapreemptionenabled: true },
        queues: [
          {
            name: 'root',
            queues: [
              {
                name: 'a',
                resources: { max: { memory } },
                properties: { 'quota.preemption.delay': '20ms' },
              },
            ],
          },
        ],
      },
    ],
  });
  for (const memory of [100, 10]) {
    expect(await send('sam', 'PUT', '/v1/partitions/two/config', lowered(memory))).toMatchObject({
      status: 200,
    });
  }
  const { enforcement } = (await partition.event('EnforcementOpened', 'root.a')).data;
  await partition.handled();
  const approval = `/v1/enforcements/${enforcement}/approve`;
  expect(await send('sam', 'POST', approval, {})).toEqual({
    status: 403,
    type: 'urn:curtail:problem:two-person-rule',
  });
  expect(await partition.remaining('root.a')).toHaveLength(3);
  expect(await send('olga', 'POST', approval, {})).toMatchObject({ status: 200 });
  await partition.ended('root.a');
  expect(await partition.remaining('root.a')).toHaveLength(1);
});
