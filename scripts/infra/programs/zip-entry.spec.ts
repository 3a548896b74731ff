import { describe, expect, it } from '@jest/globals';
import { zipOf } from '../../../test/support/zip-of.js';
import { readZipEntry } from './zip-entry.js';

describe('readZipEntry', () => {
  const text = Buffer.from('redis '.repeat(1000));

  it.each(['stored', 'deflated'] as const)('finds a %s file among others', (how) => {
    const archive = zipOf(
      { first: Buffer.from('one'), 'folder/wanted': text, last: Buffer.from('three') },
      how,
    );
    expect(readZipEntry(archive, 'folder/wanted').equals(text)).toBe(true);
  });

  it('states what is missing or wrong', () => {
    const archive = zipOf({ there: text }, 'deflated');
    expect(() => readZipEntry(archive, 'absent')).toThrow('the archive has no absent');
    expect(() => readZipEntry(Buffer.from('no archive at all'), 'there')).toThrow('no zip archive');
    expect(() => readZipEntry(Buffer.concat([archive.subarray(30)]), 'there')).toThrow();
  });
});
