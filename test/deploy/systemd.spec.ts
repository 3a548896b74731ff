import { execFile } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { nodeOptions } from '../../scripts/distributed/node-options.js';
import { findOnPath } from '../../scripts/infra/programs/find-on-path.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { apps, hasSource, knownNames } from './apps.js';

const folder = 'deploy/systemd';
const installed = '/opt/curtail/lib/node_modules/curtail/';
const units = ['curtail.service', 'curtail@.service'];
const read = (name: string) => readFile(join(folder, name), 'utf8');
/** The values of a key, in their order. */
const valuesOf = (unit: string, key: string) =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!);

const analyze = findOnPath('systemd-analyze');
/** Reported as skipped without systemd. */
const verified = analyze === undefined ? (it.skip as unknown as typeof it) : it;
const lacking = analyze === undefined ? ' (not run: there is no systemd-analyze)' : '';

describe('the units of systemd', () => {
  verified.each(apps)(`are taken by systemd, for the service %s${lacking}`, async (app) => {
    const copies = await temporaryFolder();
    try {
      const names = [`curtail@${app}.service`, 'curtail.service'];
      await copyFile(join(folder, 'curtail@.service'), join(copies.path, names[0]!));
      await copyFile(join(folder, 'curtail.service'), join(copies.path, names[1]!));
      const { stdout, stderr } = await promisify(execFile)(analyze!, [
        'verify',
        ...names.map((name) => join(copies.path, name)),
      ]);
      expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('curtail'))).toEqual([]);
    } finally {
      await copies.remove();
    }
  });

  it.each(units)('%s starts a program of the package, with the options of the image', async (name) => {
    const unit = await read(name);
    const [start = ''] = valuesOf(unit, 'ExecStart');
    const words = start.split(' ');
    expect(words).toEqual(expect.arrayContaining(nodeOptions));
    const program = words.find((word) => word.startsWith(installed))!.slice(installed.length);
    if (name === 'curtail.service') expect(program).toBe('bin/curtail.mjs');
    else for (const app of apps) expect(hasSource(program.replace('%i', app))).toBe(true);
  });

  it.each(units)('%s has settings that exist, and time to end', async (name) => {
    const unit = await read(name);
    const set = valuesOf(unit, 'Environment').map((one) => one.split('=')[0]!);
    expect(set.filter((variable) => !knownNames.has(variable))).toEqual([]);
    // A service takes 20 s at most.
    expect(Number(valuesOf(unit, 'TimeoutStopSec')[0])).toBeGreaterThan(20);
    // The embedded PostgreSQL is ended by Curtail, not beside it.
    expect(valuesOf(unit, 'KillMode')).toEqual(['mixed']);
  });

  it('run as an account that is made, with an example of settings that exist', async () => {
    const [, account] = /^u (\S+)/m.exec(await read('curtail.sysusers.conf'))!;
    for (const name of units) expect(valuesOf(await read(name), 'User')).toEqual([account]);
    const settings = (await read('settings.example')).match(/^#?[A-Z_]+(?==)/gm)!;
    expect(settings.length).toBeGreaterThan(4);
    expect(settings.map((name) => name.replace('#', '')).filter((name) => !knownNames.has(name))).toEqual([]);
  });
});
