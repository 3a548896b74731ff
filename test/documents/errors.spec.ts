import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

it('every error has the base class, with a code', async () => {
  const search = [
    'grep',
    '-lE',
    String.raw`class \w+ extends (Type|Range)?Error\b`,
    '--',
    'apps/*.ts',
    'libs/*.ts',
  ];
  const { stdout } = await promisify(execFile)('git', search);
  const found = stdout.split('\n').filter((file) => file !== '' && !file.endsWith('.spec.ts'));
  expect(found).toEqual(['libs/contracts/src/curtail-error.ts']);
});
