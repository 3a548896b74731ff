import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

/** Write the table, or read which partitions there are, or which modes were set; none of them decides about a mode. */
const others = [
  'apps/console/src/operator/known-places.ts',
  'apps/console/src/operator/operator.ts',
  'apps/console/src/queries/partitions.ts',
  'apps/curtail/src/start/run-all-in-one.ts',
  'libs/clusters/src/unknown-place.ts',
];

it('decides in one place which mode of a partition counts', async () => {
  const { stdout } = await promisify(execFile)('git', [
    ...['grep', '--untracked', '-l', 'partition_modes', '--', 'apps/*.ts', 'libs/*.ts'],
  ]);
  const files = stdout.split('\n').filter((file) => file !== '' && !file.endsWith('.spec.ts'));
  expect(files).toEqual(expect.arrayContaining(others));
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })));
  const deciding = texts.filter(({ text }) => text.includes('modeInForce(')).map(({ file }) => file);
  expect(files.filter((file) => !deciding.includes(file))).toEqual(others);
  // A mode that SQL has completed already would hide that none was set.
  expect(texts.filter(({ text }) => /coalesce\(\s*\(?SELECT mode/i.test(text))).toEqual([]);
});
