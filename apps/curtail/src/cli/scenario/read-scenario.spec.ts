import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js';
import { readScenario } from './read-scenario.js';

describe('a scenario', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder.remove());

  async function read(text: string) {
    const file = join(folder.path, 'scenario.yaml');
    await writeFile(file, text);
    return readScenario(file, {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: {},
    });
  }
  const whole = 'title: T\npartition: P\nconfiguration: {partitions: []}\ncluster: {nodes: []}\n';

  it('is read with its partition in lower case', async () => {
    expect(await read(whole)).toMatchObject({
      title: 'T',
      about: '',
      partition: 'p',
      configuration: { partitions: [] },
      cluster: { nodes: [] },
    });
  });

  it('names the place of a field, or of the nearest above one that is missing', async () => {
    const { located } = await read(
      'title: T\npartition: P\nconfiguration: {partitions: []}\ncluster:\n  nodes:\n    - { id: a, capacity: 5 }\n',
    );
    const name = join(folder.path, 'scenario.yaml');
    expect(located('cluster', 'nodes[0].capacity')).toBe(`${name}:6:26: cluster.nodes[0].capacity: `);
    expect(located('cluster', 'nodes[0].x.y')).toBe(`${name}:6:7: cluster.nodes[0].x.y: `);
    expect(located('configuration', '')).toBe(`${name}:3:16: configuration: `);
  });

  it.each([
    ['- a list', 'is not a scenario'],
    ['title: [', 'scenario.yaml:1:9: '],
    [`${whole}end: happy\n`, 'end is not a field of a scenario'],
    [whole.replace('T', '7'), 'must be strings'],
    [whole.replace('partition: P\n', ''), 'must be strings'],
    [whole.replace(/cluster.*\n/, ''), 'cluster is missing'],
    [whole.replace(/configuration.*\n/, ''), 'configuration is missing'],
  ])('%j is refused', async (text, because) => {
    await expect(read(text)).rejects.toThrow(because);
  });
});
