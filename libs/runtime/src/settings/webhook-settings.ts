import { z } from 'zod';
import { type WebhookType, webhookTypes } from '#contracts/api';
import {
  constant,
  kindOf,
  list,
  optionalSetting,
  type SettingProblem,
  SettingsError,
  type SettingsOf,
  setting,
} from '#platform';

const mostSecrets = 3;
const aSecret = 'whsec_ and 24 to 64 random bytes in base64 (echo whsec_$(openssl rand -base64 32))';

/** A secret of Standard Webhooks; several while it is replaced. */
const secretsText = z.string().transform((value, issues) => {
  const secrets = value.trim().split(/[\s,]+/);
  if (secrets.length > mostSecrets) issues.addIssue(`holds more than ${mostSecrets} secrets`);
  for (const secret of secrets) {
    const [, key = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
    const bytes = Buffer.from(key, 'base64').length;
    if (bytes >= 24 && bytes <= 64) continue;
    issues.addIssue(key === '' ? 'is not of the right form' : `has a key of ${bytes} bytes`);
    return z.NEVER;
  }
  return secrets;
});
const secrets = kindOf(
  `${aSecret}; up to ${mostSecrets} of them, separated by commas, or each on a line of a file`,
  secretsText,
);

const receiver = kindOf(
  'an http or https address without a user and a password, such as https://example.org/hooks/curtail',
  z.string().superRefine((value, issues) => {
    if (!URL.canParse(value)) return issues.addIssue('is not an address');
    const { protocol, username, password, hash } = new URL(value);
    if (!['http:', 'https:'].includes(protocol)) issues.addIssue('has another scheme');
    else if (username !== '' || password !== '') issues.addIssue('holds a user or a password');
    else if (hash !== '') issues.addIssue('holds a fragment (#)');
  }),
);

/** Settings of the console, which reports events that need an operator to a webhook. */
export const webhookSettings = {
  webhookUrl: optionalSetting('CURTAIL_WEBHOOK_URL', receiver, {
    help: 'Address of the webhook for events that need an operator; unset: none',
    secret: true,
  }),
  webhookSecret: optionalSetting('CURTAIL_WEBHOOK_SECRET', secrets, {
    help: 'Secret with which messages to the webhook are signed',
    secret: true,
  }),
  webhookEvents: setting(
    'CURTAIL_WEBHOOK_EVENTS',
    list({
      of: new RegExp(`^(${webhookTypes.join('|').replaceAll('.', '\\.')})$`),
      most: 10,
      right: `some of ${webhookTypes.join(', ')}`,
    }),
    { default: [...webhookTypes], help: 'Types of messages that are sent to the webhook' },
  ),
  /** For the answer of the receiver; after it the message is sent again later. */
  webhookTimeoutSeconds: constant(10),
  /** Until a run that still waits for approval, or a cluster that is still not known, is reported again. */
  webhookReminderMinutes: constant(60),
};

/** Where messages about events that need an operator are sent. */
export interface Webhook {
  url: string;
  /** Each signs every message; the receiver accepts one of the signatures. */
  secrets: readonly string[];
  types: ReadonlySet<WebhookType>;
  timeoutMs: number;
  reminderSeconds: number;
}

/** @returns undefined if none is configured. @throws SettingsError for an address without a secret. */
export function webhookOf(settings: SettingsOf<typeof webhookSettings>): Webhook | undefined {
  const { webhookUrl: url, webhookSecret: secrets } = settings;
  if (url === undefined) return undefined;
  if (secrets === undefined) throw new SettingsError([noSecret]);
  return {
    url,
    secrets,
    types: new Set(settings.webhookEvents as WebhookType[]),
    timeoutMs: settings.webhookTimeoutSeconds * 1000,
    reminderSeconds: settings.webhookReminderMinutes * 60,
  };
}

const noSecret: SettingProblem = {
  variable: 'CURTAIL_WEBHOOK_SECRET',
  wrong: 'is not set, but CURTAIL_WEBHOOK_URL is',
  remedy: `messages are signed with it; give ${aSecret}, or a file with it in CURTAIL_WEBHOOK_SECRET_FILE`,
};
