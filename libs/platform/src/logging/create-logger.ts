import { type Logger, pino } from 'pino';
import { withoutSecrets } from '../settings/secrets.js';
import type { GeneralSettings } from '../settings/service-settings.js';

interface LineSink {
  write(line: string): unknown;
  isTTY?: boolean;
}
export type LogSettings = Pick<GeneralSettings, 'logLevel'>;

/**
 * The log of a process: lines for people on a terminal, JSON elsewhere. Every line of every library is redacted here: secrets by the
 * name of their field, and passwords and tokens within texts.
 */
export function createLogger(settings: LogSettings, out: LineSink = process.stdout): Logger {
  const isColoured = out.isTTY === true && !process.env.NO_COLOR;
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
        const safe = redactText(line);
        out.write(out.isTTY ? prettyLine(safe, isColoured) : safe);
      },
    },
  );
}

/** Deeper causes are omitted. */
const deepest = 4;

/**
 * The log entry of an error. It omits most properties: those of a driver include the whole connection, and every lost
 * one would fill pages.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(cause instanceof Error && depth < deepest ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

const secretNames =
  /^(?:proxy)?authorization$|^(?:set)?cookie$|password$|passwd$|secret$|apikey$|^(?:curtail|access|auth|bearer|refresh|id)?token$|^databaseurl$/;
/** Fields nested deeper than this are neither checked nor logged. */
const deepestField = 8;

/** Copies a log entry with blanked fields that are secret by their name (authorization, token, password …). */
export function redactFields(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date)
    return value;
  if (depth >= deepestField) return '…';
  if (Array.isArray(value)) return value.map((item) => redactFields(item, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const secret = secretNames.test(key.toLowerCase().replace(/[^a-z]/g, ''));
    copy[key] = secret ? '***' : redactFields(field, depth + 1);
  }
  return copy;
}

const colours: Record<string, string> = { warn: '\u001b[33m', error: '\u001b[31m', fatal: '\u001b[31m' };
const plain = '\u001b[0m';
const dim = '\u001b[2m';
const indent = '    ';
/** Indents the further lines of a message, to distinguish them from lines of the log. */
const below = `\n${indent}`;

/** A line of the JSON log as a line for people: time, level, context, message, other fields; a stack below it. */
export function prettyLine(json: string, colour: boolean): string {
  const { time, level, context, msg, err, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const paint = (code: string | undefined, text: string) =>
    colour && code ? `${code}${text}${plain}` : text;
  const parts = [
    paint(dim, String(time).slice(11, 23)),
    paint(colours[String(level)], String(level).toUpperCase().padEnd(5)),
    ...(context === undefined ? [] : [paint(dim, visible(`[${String(context)}]`))]),
    ...(msg === undefined ? [] : [String(msg).split('\n').map(visible).join(below)]),
    ...Object.entries(rest).map(([key, value]) =>
      paint(dim, visible(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)),
    ),
  ];
  return `${parts.join(' ')}\n${errorLines(err)}`;
}

function errorLines(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  return `${String(stack ?? message)
    .split('\n')
    .map((line) => indent + visible(line.trim()))
    .join('\n')}\n`;
}

/**
 * Text from outside, such as a header or a name in a message: control characters and those that change the direction of a line are
 * written as escapes, so that no text can forge a line, repaint the screen or clear it.
 */
function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// No pattern matches a quote or a backslash: a line of JSON must stay one.
/** The password of an address (`scheme://user:password@host`). Bounded, so that no text makes it slow. */
const urlPassword = /(:\/\/[^\s:@/"'<>\\]{0,256}:)[^\s/?#"'<>\\]{0,512}@/g;
const bearer = /\b(Bearer\s+)[A-Za-z0-9\-._~+/]{4,}=*/gi;
const assigned = /\b(passw(?:or)?d|pwd|secret|(?:curtail_|access_|auth_)?token)(\s?=\s?)[^\s&"',;\\]+/gi;

/** The text without passwords of addresses, bearer tokens, `password=…`, and the secrets of this process wherever they stand. */
export function redactText(text: string): string {
  return withoutSecrets(text)
    .replace(urlPassword, '$1***@')
    .replace(bearer, '$1***')
    .replace(assigned, '$1$2***');
}
