import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readSettings, SettingsError } from '#platform';
import { webhookOf, webhookSettings } from './webhook-settings.js';

const folder = mkdtempSync(join(tmpdir(), 'curtail-webhook-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (text: string) => {
  const path = join(folder, `secret-${text.length}`);
  writeFileSync(path, text);
  return path;
};
const secretOf = (bytes: number, fill = 7) => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
const [one, two] = [secretOf(32), secretOf(24, 9)] as const;
const url = 'https://example.org/hooks/curtail';

const webhook = (env: Record<string, string>) =>
  webhookOf(readSettings(webhookSettings, { CURTAIL_WEBHOOK_URL: url, ...env }));
function wrong(env: Record<string, string>): string {
  try {
    webhook(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return '';
}

describe('the settings of the webhook', () => {
  it('are none without an address', () => {
    expect(webhookOf(readSettings(webhookSettings, { CURTAIL_WEBHOOK_SECRET: one }))).toBeUndefined();
  });

  it('have a secret in the environment or in a file, and several while it is replaced', () => {
    expect(webhook({ CURTAIL_WEBHOOK_SECRET: one })).toEqual({
      ...{ url, secrets: [one], timeoutMs: 10_000, reminderSeconds: 3600 },
      types: new Set([
        ...['run.waits-for-approval', 'run.rejected', 'run.failed', 'cluster.unknown'],
        ...['victim.foreseen', 'foresight.withdrawn'],
      ]),
    });
    expect(webhook({ CURTAIL_WEBHOOK_SECRET: `${one}, ${two}` })?.secrets).toEqual([one, two]);
    expect(webhook({ CURTAIL_WEBHOOK_SECRET_FILE: file(`${two}\n${one}\n`) })?.secrets).toEqual([two, one]);
  });

  it('name the wanted types', () => {
    const types = { CURTAIL_WEBHOOK_SECRET: one, CURTAIL_WEBHOOK_EVENTS: 'run.failed, run.rejected' };
    expect(webhook(types)?.types).toEqual(new Set(['run.failed', 'run.rejected']));
    expect(wrong({ CURTAIL_WEBHOOK_SECRET: one, CURTAIL_WEBHOOK_EVENTS: 'run-failed' })).toMatch(
      /CURTAIL_WEBHOOK_EVENTS .* holds "run-failed": expected some of run\.waits-for-approval, /,
    );
  });

  it.each([
    [
      {},
      /CURTAIL_WEBHOOK_SECRET is not set, but CURTAIL_WEBHOOK_URL is: messages are signed with it; give whsec_ and 24/,
    ],
    [
      { CURTAIL_WEBHOOK_SECRET: 'password' },
      /CURTAIL_WEBHOOK_SECRET \(secret, 8 characters\) is not of the right form: expected whsec_ and 24 to 64/,
    ],
    [
      { CURTAIL_WEBHOOK_SECRET: secretOf(23) },
      /CURTAIL_WEBHOOK_SECRET \(secret, 38 characters\) has a key of 23 bytes/,
    ],
    [{ CURTAIL_WEBHOOK_SECRET: secretOf(65) }, /has a key of 65 bytes/],
    [{ CURTAIL_WEBHOOK_SECRET: `${one},${one},${one},${two}` }, /holds more than 3 secrets/],
    [
      { CURTAIL_WEBHOOK_SECRET_FILE: join(folder, 'none') },
      /CURTAIL_WEBHOOK_SECRET_FILE names a file that cannot be read/,
    ],
    [{ CURTAIL_WEBHOOK_SECRET_FILE: file('short') }, /CURTAIL_WEBHOOK_SECRET .* is not of the right form/],
    [
      { CURTAIL_WEBHOOK_SECRET: one, CURTAIL_WEBHOOK_SECRET_FILE: file(two) },
      /CURTAIL_WEBHOOK_SECRET_FILE is set, and so is/,
    ],
    [
      { CURTAIL_WEBHOOK_URL: 'example.org/hook' },
      /CURTAIL_WEBHOOK_URL .* is not an address: expected an http or https address/,
    ],
    [{ CURTAIL_WEBHOOK_URL: 'ftp://example.org/hook' }, /CURTAIL_WEBHOOK_URL .* has another scheme/],
    [
      { CURTAIL_WEBHOOK_URL: 'https://ann:pw@example.org/' },
      /CURTAIL_WEBHOOK_URL .* holds a user or a password/,
    ],
    [{ CURTAIL_WEBHOOK_URL: 'https://example.org/#top' }, /CURTAIL_WEBHOOK_URL .* holds a fragment/],
  ])('are refused with the remedy: %j', (env, message) => {
    const text = wrong(env);
    expect(text).toMatch(message);
    for (const hidden of [one, two, 'ann:pw', 'example.org/#']) {
      expect(text).not.toContain(hidden);
    }
  });
});
