import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readContainers } from './answers.js';
import { scannedContainers } from './scanned-containers.js';

type Entry = { key: string; value: string };
interface Written {
  containerState: string;
  allocatedResources: { entry: Entry[] };
}

const answers = join(import.meta.dirname, '../../../../test/clusters/yarn-answers');
const recorded: Written[] = JSON.parse(
  readFileSync(join(answers, 'containers-alice.json'), 'utf8'),
).container;

/** As a manager writes it: a map repeats the key `entry`. */
const rawOf = (containers: readonly Written[]): string =>
  `{"container":[${containers
    .map(({ allocatedResources: { entry }, ...others }) => {
      const entries = entry.map((one) => `"entry":${JSON.stringify(one)}`).join(',');
      return JSON.stringify({ ...others, allocatedResources: 0 }).replace(
        '"allocatedResources":0',
        `"allocatedResources":{${entries}}`,
      );
    })
    .join(',')}]}`;
const [first, ...rest] = recorded as [Written, ...Written[]];
const withGpus = {
  ...first,
  allocatedResources: { entry: [...first.allocatedResources.entry, { key: 'yarn.io/gpu', value: '2' }] },
};

describe('a list of containers that is scanned', () => {
  it.each([
    ['as recorded', recorded],
    ['with an ended one', [{ ...first, containerState: 'COMPLETE' }, ...rest]],
    ['with resources of another type', [withGpus, ...rest]],
    [
      'with quotes in texts',
      [{ ...first, logUrl: '"startedTime":"7","containerState":"COMPLETE"' }, ...rest] as Written[],
    ],
  ])('is the one that is parsed: %s', (_what, containers) => {
    const scanned = scannedContainers(rawOf(containers));
    expect(scanned).toEqual(readContainers({ container: containers }));
    expect(scanned?.length).toBeGreaterThan(5);
  });

  it('is none where anything is missing, and never a shorter one', () => {
    const text = rawOf(recorded);
    for (let end = 0; end < text.length; end++) expect(scannedContainers(text.slice(0, end))).toBeUndefined();
    for (const end of [', ', ']}', '}']) expect(scannedContainers(text + end)).toBeUndefined();
  });

  it.each([
    ['none', '{}'],
    ['no list', `{"container":${rawOf([first]).slice(14, -2)}}`],
    ['an empty list', '{"container":[]}'],
    ['lists of entries', JSON.stringify({ container: recorded })],
    ['spaces', JSON.stringify({ container: recorded }, undefined, 2)],
    ['a number that is none', rawOf([first, ...rest]).replace('"allocatedMB":"1024"', '"allocatedMB":"-1"')],
    ['another order', rawOf([first]).replace('"containerId"', '"exposedPorts":"","containerId"')],
    ['HTML', '<html></html>'],
  ])('leaves %s to the parser', (_what, text) => {
    expect(scannedContainers(text)).toBeUndefined();
  });
});
