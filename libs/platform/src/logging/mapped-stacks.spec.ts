import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { transformFileSync, transformSync } from '@swc/core';

const folder = mkdtempSync(join(tmpdir(), 'curtail-stacks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const options = {
  sourceMaps: true,
  configFile: false as const,
  swcrc: false,
  jsc: { target: 'es2022' as const, parser: { syntax: 'typescript' as const } },
};

/** The stack trace of an error in a program that maps its own. */
function stackOf(program: { map: boolean | string }): string {
  const source = [
    'interface Lost { in: string }',
    'interface Also { lost: Lost }',
    'export const fail = (): Also => {',
    "  throw new Error('on line 4');",
    '};',
  ].join('\n');
  const { code, map } = transformSync(source, {
    ...options,
    filename: 'fails.ts',
    sourceFileName: 'fails.ts',
  });
  writeFileSync(join(folder, 'fails.mjs'), code);
  if (program.map !== false) {
    writeFileSync(join(folder, 'fails.mjs.map'), program.map === true ? map! : program.map);
  } else rmSync(join(folder, 'fails.mjs.map'), { force: true });
  writeFileSync(
    join(folder, 'mapped-stacks.mjs'),
    transformFileSync(join(import.meta.dirname, 'mapped-stacks.ts'), options).code,
  );
  const main = `
    import { mapStacks } from ${JSON.stringify(pathToFileURL(join(folder, 'mapped-stacks.mjs')).href)};
    import { fail } from ${JSON.stringify(pathToFileURL(join(folder, 'fails.mjs')).href)};
    mapStacks();
    try { fail(); } catch (error) { process.stdout.write(error.stack); }`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', main], { encoding: 'utf8' });
}

test('a stack trace names the line of the source', () => {
  const stack = stackOf({ map: true });
  expect(stack).toMatch(/^Error: on line 4\n {4}at fail \(/);
  expect(stack).toContain(`${join(folder, 'fails.ts')}:4:9`);
});

test.each([
  ['no map', false],
  ['a damaged map', '{'],
])('a file with %s is named itself', (_, map) => {
  expect(stackOf({ map })).toContain(`${pathToFileURL(join(folder, 'fails.mjs')).href}:`);
});
