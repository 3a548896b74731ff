import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const guide = readFileSync('docs/how-to/install.md', 'utf8');
const { files, name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  files: string[];
  name: string;
  version: string;
};
/** Paths of the installed package, in the folder of whoever reads it or of the whole machine. */
const named = [...guide.matchAll(/node_modules\/curtail\/([\w./@*-]*\w)/g)].map(([, path]) => path!);

describe('docs/how-to/install.md', () => {
  it('names files that the package has', () => {
    expect(named.length).toBeGreaterThan(8);
    for (const path of named) {
      const pattern = basename(path);
      const found = pattern.startsWith('*')
        ? readdirSync(dirname(path)).some((one) => one.endsWith(pattern.slice(1)))
        : existsSync(path);
      expect({ path, found }).toEqual({ path, found: true });
      expect(files.some((part) => path === part || path.startsWith(`${part}/`))).toBe(true);
    }
  });

  it('never installs or calls the package by its name alone, which is that of another product', () => {
    const commands = guide.match(/^(npm install|npx) .*$/gm)!;
    expect(commands.length).toBeGreaterThan(3);
    for (const command of commands)
      expect(command).toMatch(/^npm install .*\.\/curtail-\S+\.tgz$|^npx --no-install curtail /);
  });

  it('names the file that npm pack makes', () => {
    expect(guide).toContain(`${name}-${version}.tgz`);
  });
});
