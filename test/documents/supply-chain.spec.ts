import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

interface LockEntry {
  version?: string;
  integrity?: string;
  resolved?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockEntry>;
};
const entries = Object.entries(packages).filter(([path]) => path !== '');

const folder = mkdtempSync(join(tmpdir(), 'curtail-sbom-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the lock', () => {
  it('has the integrity of every package, of all platforms', () => {
    expect(entries.length).toBeGreaterThan(500);
    expect(
      entries.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')).map(([path]) => path),
    ).toEqual([]);
  });

  it('names no registry', () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });
});

/** Permit use and redistribution with this licence. */
const permitted = new Set([
  'MIT',
  'Apache-2.0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Python-2.0',
  'Unlicense',
  'BlueOak-1.0.0',
]);
/** Their package.json has the licence in an older form: MIT, as their files LICENSE say. */
const inOlderForm = ['busboy', 'streamsearch'];

describe('what is installed with Curtail', () => {
  it('is under licences that permit it', () => {
    const others = entries
      .filter(([, { dev }]) => !dev)
      .map(([path, { license }]) => [path.replace(/^.*node_modules\//, ''), license ?? 'none'] as const)
      .filter(([name, license]) => !permitted.has(license) && !inOlderForm.includes(name));
    expect(others).toEqual([]);
  });

  it('is listed by the bill of materials, with its digests', () => {
    const file = join(folder, 'sbom.json');
    execFileSync('node', ['scripts/sbom.mjs', file], { stdio: 'pipe' });
    const bom = JSON.parse(readFileSync(file, 'utf8'));
    const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name, version } } });
    const listed = new Map<string, { hashes?: unknown[] }>(
      bom.components.map((one: { purl: string; hashes?: unknown[] }) => [decodeURIComponent(one.purl), one]),
    );
    const installed = entries
      .filter(([, { dev }]) => !dev)
      .map(([path, one]) => `pkg:npm/${path.replace(/^.*node_modules\//, '')}@${one.version}`);
    expect([...listed.keys()].sort()).toEqual([...new Set(installed)].sort());
    expect([...listed].filter(([, { hashes = [] }]) => hashes.length === 0)).toEqual([]);
  });
});
