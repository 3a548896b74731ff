import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

it('what is loaded later is named by its path: the build replaces aliases only in static imports', () => {
  const files = execFileSync('git', ['ls-files', 'apps/*.ts', 'libs/*.ts'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((path) => path.includes('/src/') && !path.endsWith('.spec.ts'));
  const byAlias = files.filter((path) => /await import\(\s*['"]@curtail\//.test(readFileSync(path, 'utf8')));
  expect(files.length).toBeGreaterThan(100);
  expect(byAlias).toEqual([]);
});
