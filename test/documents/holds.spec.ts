import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

/** The files of apps and libs in which a pattern stands, without tests and without the generated client. */
async function filesWith(pattern: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', [
    ...['grep', '--untracked', '-lE', pattern, '--'],
    ...['apps/*.ts', 'apps/*.tsx', 'libs/*.ts', ':!*.spec.ts', ':!libs/api-client/src/generated/*'],
  ]);
  return stdout.split('\n').filter((file) => file !== '');
}

it('types SQL on stops, modes, freezes and decisions in libs/holds alone', async () => {
  const clause = '(FROM|JOIN|INTO|UPDATE)';
  const files = await filesWith(`kill_switches|partition_modes|configuration_decisions|${clause} freezes\\b`);
  expect(files.filter((file) => !file.startsWith('libs/holds/'))).toEqual([]);
  expect(files).not.toEqual([]);
});

it('has every mode of a partition as it was set, so that one function decides which mode counts', async () => {
  // A mode that SQL has completed already would hide that none was set.
  await expect(filesWith('coalesce\\(\\s*(\\(SELECT mode|\\$\\{MODE_OF)')).rejects.toMatchObject({ code: 1 });
});

it('decides in one place what a place covers', async () => {
  expect(await filesWith("=== null \\|\\| isWithin\\(|place === null|\\('', \\$\\{")).toEqual([
    'libs/contracts/src/queue-path.ts',
  ]);
});

it('has the state of a run that waits for approval as one constant', async () => {
  expect(await filesWith('waiting for approval')).toEqual(['libs/contracts/src/run-states.ts']);
});
