import { type Logger, pino } from 'pino';
import type { GeneralSettings } from '../settings/service-settings.js';
import { describeError } from './describe-error.js';
import { prettyLine } from './pretty-line.js';
import { redactFields } from './redact-fields.js';
import { redactText } from './redact-text.js';

interface LineSink {
  write(line: string): unknown;
  isTTY?: boolean;
}
export type LogSettings = Pick<GeneralSettings, 'logLevel' | 'logFormat' | 'token'> & {
  readonly databaseUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
  readonly redisPassword?: string | undefined;
  readonly kafkaPassword?: string | undefined;
};

/**
 * The log of a process. Every line of every library is redacted here: secrets by the name of their field, and passwords
 * and tokens within texts.
 */
export function createLogger(settings: LogSettings, out: LineSink = process.stdout): Logger {
  const isColoured = out.isTTY === true && !process.env.NO_COLOR;
  const pretty = (settings.logFormat ?? (out.isTTY ? 'pretty' : 'json')) === 'pretty';
  const secrets = knownSecrets(settings);
  return pino(
    {
      level: settings.logLevel,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => describeError(error) },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactFields(fields) as Record<string, unknown>,
      },
    },
    {
      write(line: string) {
        const safe = redactText(line, secrets);
        out.write(pretty ? prettyLine(safe, isColoured) : safe);
      },
    },
  );
}

function knownSecrets(settings: LogSettings): string[] {
  const { token, databaseUrl, redisUrl, redisPassword, kafkaPassword } = settings;
  // A short password would blank half of every line, and reveal itself by that.
  return [token, passwordIn(databaseUrl), passwordIn(redisUrl), redisPassword, kafkaPassword]
    .filter((secret) => secret !== undefined && secret.length >= 8)
    .flatMap((secret) => [secret as string, JSON.stringify(secret).slice(1, -1)]);
}

function passwordIn(address: string | undefined): string | undefined {
  return address && URL.canParse(address) ? new URL(address).password : undefined;
}
