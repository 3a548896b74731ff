import { describe, expect, it } from '@jest/globals';
import { holdSecret } from '../settings/secrets.js';
import { createLogger, type LogSettings, redactFields, redactText } from './create-logger.js';
import { NestLogger } from './nest-logger.js';

const settings: LogSettings = { logLevel: 'info' };
const token = 'correct-"horse"-battery';
const databaseUrl = 'postgres://curtail:pass%20word1@db:5432/curtail';
for (const secret of [token, databaseUrl]) holdSecret(secret);

function logTo(overrides: Partial<LogSettings> = {}, isTTY = false) {
  const lines: string[] = [];
  const log = createLogger(
    { ...settings, ...overrides },
    { write: (line: string) => lines.push(line), isTTY },
  );
  return { log, lines };
}

describe('the log', () => {
  it('is JSON off a terminal', () => {
    const { log, lines } = logTo();
    log.info({ queue: 'root.a' }, 'hello');
    const { time, ...rest } = JSON.parse(lines[0]!);
    expect(rest).toEqual({ level: 'info', queue: 'root.a', msg: 'hello' });
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('is readable lines on a terminal', () => {
    const { log, lines } = logTo({}, true);
    log.warn({ context: 'Timer', queue: 'root.a', err: new Error('broken') }, 'late');
    expect(lines[0]).toContain('WARN');
    expect(lines[0]).toContain('late');
    expect(lines[0]).toContain('queue=root.a');
    expect(lines[0]).toContain('Error: broken');
    expect(lines[0]).not.toContain('{"');
  });

  it('lets no text forge a line, repaint the screen or turn the writing around', () => {
    const { log, lines } = logTo({}, true);
    const evil = 'x\n12:00:00.000 ERROR all is lost\u001b[2J\u009b31m\u202ex\u0007\u2028y\rz';
    log.info({ context: evil, agent: evil, nested: { agent: evil }, err: new Error(evil) }, evil);
    // biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what is searched for
    const text = lines.join('').replaceAll(/\u001b\[(0|2|33)m/g, '');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
    // biome-ignore-end lint/suspicious/noControlCharactersInRegex: they are what is searched for
    expect(text).toContain('agent=x\\u000a12:00:00.000 ERROR all is lost\\u001b[2J');
    const [, ...further] = text.trimEnd().split('\n');
    for (const line of further) expect(line).toMatch(/^ {4}\S/);
  });

  it.each([undefined, '1'])('has colours on a terminal, and none with NO_COLOR: %s', (value) => {
    const before = process.env.NO_COLOR;
    if (value === undefined) delete process.env.NO_COLOR;
    else process.env.NO_COLOR = value;
    try {
      const { log, lines } = logTo({}, true);
      log.warn('late');
      expect(lines[0]?.includes('\x1b[')).toBe(value === undefined);
    } finally {
      if (before === undefined) delete process.env.NO_COLOR;
      else process.env.NO_COLOR = before;
    }
  });

  it('logs an error with its code and its cause, without the properties that a driver adds', () => {
    const { log, lines } = logTo();
    const reason = Object.assign(new Error('terminated'), { code: '57P01', client: { port: 5432 } });
    log.warn({ err: new TypeError('lost', { cause: reason }) }, 'again');
    const { err } = JSON.parse(lines[0]!);
    expect(err).toMatchObject({ type: 'TypeError', message: 'lost', cause: { code: '57P01' } });
    expect(err.stack).toContain('TypeError: lost');
    expect(lines[0]).not.toContain('5432');
  });

  it.each([false, true])('holds no secret (on a terminal: %s)', (isTTY) => {
    const { log, lines } = logTo({}, isTTY);
    const secrets = {
      authorization: 'Bearer abcdefgh',
      token: 't0ken',
      password: 'pw',
      databaseUrl: 'x',
      apiKey: 'k3y',
    };
    log.info({ req: { headers: secrets } }, `sent ${token}`);
    log.error({ err: new Error(`cannot reach ${databaseUrl}, password=pass%20word1`) }, 'failed');
    const all = lines.join('');
    expect(all).not.toMatch(/abcdefgh|t0ken|"pw"|k3y|pass%20word1/);
    expect(all).not.toContain('horse');
    expect(all).toContain('db:5432');
  });

  it('accepts the arguments of Nest: context, stack and error', () => {
    const { log, lines } = logTo({ logLevel: 'debug' });
    const nest = new NestLogger(log);
    nest.log('started', 'Bootstrap');
    nest.error('failed', 'Error: x\n    at y', 'Timer');
    nest.error(new Error('thrown'), 'Timer');
    nest.warn({ code: 'late', lateMs: 3 }, 'Timer');
    nest.verbose('too fine', 'Timer');
    nest.log('Mapped {/v1, GET} route', 'RouterExplorer');
    const entries = lines.map((line) => JSON.parse(line));
    expect(entries).toHaveLength(5);
    expect(entries[0]).toMatchObject({ level: 'info', msg: 'started', context: 'Bootstrap' });
    expect(entries[1]).toMatchObject({ level: 'error', msg: 'failed', err: { stack: 'Error: x\n    at y' } });
    expect(entries[2]).toMatchObject({ level: 'error', msg: 'thrown', err: { message: 'thrown' } });
    expect(entries[4]).toMatchObject({ level: 'debug' });
    expect(entries[3]).toMatchObject({ level: 'warn', code: 'late', lateMs: 3, context: 'Timer' });
  });
});

describe('redaction', () => {
  it.each([
    ['postgres://u:p@ss:word@h/db', 'postgres://u:***@h/db'],
    ['redis://:secret@h:6379', 'redis://:***@h:6379'],
    ['see http://127.0.0.1:8080/a?b=c@d', 'see http://127.0.0.1:8080/a?b=c@d'],
    ['Authorization: bearer abc.def-ghi=', 'Authorization: bearer ***'],
    ['host=h password=hunter22 user=u', 'host=h password=*** user=u'],
    ['fencingToken=7 is current', 'fencingToken=7 is current'],
  ])('of %s', (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
  });

  it('keeps fencing tokens, which are not secret, and cuts deep nesting', () => {
    expect(redactFields({ fencingToken: 7, tokens: 3, nested: [{ accessToken: 'x' }] })).toEqual({
      fencingToken: 7,
      tokens: 3,
      nested: [{ accessToken: '***' }],
    });
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(JSON.stringify(redactFields(circle))).toContain('…');
  });
});
