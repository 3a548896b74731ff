import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '#configuration';
import { checksumOf, readInForce, toSubmit } from './saved-configuration.js';

const recorded = readFileSync('test/clusters/yunikorn/config.yaml', 'utf8');
const save = (resourceVersion: string, text: string) => ({
  name: 'yunikorn-configs',
  resourceVersion,
  key: 'queues.yaml',
  text,
});
const inForce = (text: string) =>
  readInForce(recorded.replace(/^checksum: .*$/m, `checksum: ${checksumOf(text)}`));

describe('what is submitted of a configuration of YuniKorn', () => {
  it('is the text of the ConfigMap when that is in force, and new with each save', () => {
    const first = toSubmit(save('7', 'partitions: []'), inForce('partitions: []'), undefined);
    expect(first).toMatchObject({ submission: 'yunikorn-configs@7', configuration: 'partitions: []' });
    const again = toSubmit(save('8', 'partitions: []'), inForce('partitions: []'), first);
    expect(again.submission).toBe('yunikorn-configs@8');
  });

  it('is what was submitted last while that is in force, whatever is saved', () => {
    const first = toSubmit(save('7', 'a: 1'), inForce('a: 1'), undefined);
    expect(toSubmit(save('8', 'a: 2'), inForce('a: 1'), first)).toBe(first);
    expect(toSubmit(undefined, inForce('a: 1'), first)).toBe(first);
  });

  it('is the configuration that YuniKorn reports if no other source has it, without its own settings', () => {
    const { submission, configuration } = toSubmit(save('8', 'a: 2'), readInForce(recorded), undefined);
    expect(submission).toBe('yunikorn@a57086069bd6e251');
    const { valid, queues } = readConfiguration({ json: configuration }, { format: 'yunikorn' });
    expect(valid).toBe(true);
    expect(queues.map(({ path, max }) => [path, max])).toEqual([
      ['root', null],
      ['root.prod', { memory: 64 * 2 ** 30, vcore: 24_000 }],
      ['root.dev', { memory: 24 * 2 ** 30, vcore: 12_000 }],
    ]);
  });

  it('is nothing of an answer that cannot be read', () => {
    expect(() => readInForce('partitions: []')).toThrow('no checksum');
    const checksum = `checksum: ${'A'.repeat(64)}\n`;
    expect(() => toSubmit(undefined, readInForce(`queues: []\n${checksum}`), undefined)).toThrow(
      'no list of partitions',
    );
    expect(() => toSubmit(undefined, readInForce(`a: [\n${checksum}`), undefined)).toThrow('not valid YAML');
  });
});
