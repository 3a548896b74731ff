import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { findOnPath } from '../../scripts/infra/programs/find-on-path.js';

const groff = findOnPath('groff');
/** Reported as skipped without groff. */
const formatted = groff === undefined ? (it.skip as unknown as typeof it) : it;
const lacking = groff === undefined ? ' (not run: there is no groff)' : '';

describe('the manual page', () => {
  formatted(`is formatted without a warning, with every command${lacking}`, async () => {
    const words = ['-man', '-Tutf8', '-ww', '-rLL=100n', '-P-c', 'man/curtail.1'];
    const { stdout, stderr } = await promisify(execFile)(groff!, words, { maxBuffer: 16 * 1024 * 1024 });
    expect(stderr).toBe('');
    for (const command of ['curtail start', 'curtail get', 'curtail simulate load', 'curtail log archive'])
      expect(stdout).toMatch(new RegExp(`^ *${command} .*$`, 'm'));
    expect(stdout).toContain('curtail apply examples/queues-lowered.yaml --dry-run');
  });

  it('has no line that troff takes for a request of its own', async () => {
    const requests = (await readFile('man/curtail.1', 'utf8')).match(/^[.'].*$/gm) ?? [];
    const known = /^\.(\\"|TH|SH|SS|TP|PP|nf|fi|nh|ad)\b|^\.\\"/;
    expect(requests.filter((line) => !known.test(line))).toEqual([]);
  });
});
