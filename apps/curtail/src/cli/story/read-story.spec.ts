import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js';
import { readStory } from './read-story.js';

describe('a story', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder.remove());

  async function read(text: string) {
    const file = join(folder.path, 'story.yaml');
    await writeFile(file, text);
    return readStory(file, { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {} });
  }
  const whole = 'title: T\npartition: P\nconfiguration: {partitions: []}\ncluster: {nodes: []}\n';

  it('is read with its partition in lower case', async () => {
    expect(await read(whole)).toEqual({
      title: 'T',
      about: '',
      partition: 'p',
      configuration: { partitions: [] },
      cluster: { nodes: [] },
    });
  });

  it.each([
    ['- a list', 'is no story'],
    ['title: [', 'story.yaml:1:9: '],
    [`${whole}end: happy\n`, 'end is no part of a story'],
    [whole.replace('T', '7'), 'have to be texts'],
    [whole.replace('partition: P\n', ''), 'have to be texts'],
    [whole.replace(/cluster.*\n/, ''), 'cluster is missing'],
    [whole.replace(/configuration.*\n/, ''), 'configuration is missing'],
  ])('%j is refused', async (text, because) => {
    await expect(read(text)).rejects.toThrow(because);
  });
});
