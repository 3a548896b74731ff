import { expect, it } from '@jest/globals';
import { writeErrors } from './validation.js';

it('prints the first errors of a file that is no configuration, and how to list all', () => {
  const written: string[] = [];
  const stderr = { write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  const errors = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ path: `[${i}]`, message: 'wrong' }));
  writeErrors({ stderr }, 'README.md', errors(10));
  expect(written).toHaveLength(10);
  writeErrors({ stderr }, 'README.md', errors(73));
  expect(written).toHaveLength(21);
  expect(written.at(-1)).toBe(
    'error: README.md has 63 further errors; is it a configuration? List all: curtail validate -f README.md\n',
  );
});
