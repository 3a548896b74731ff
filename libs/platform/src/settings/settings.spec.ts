import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Logger } from 'pino';
import { z } from 'zod';
import { kindOf, oneOf, proxies, wholeNumber } from './kinds.js';
import { readSettings, warnOfUnknownSettings } from './read-settings.js';
import { serviceSettings } from './service-settings.js';
import {
  aboutSetting,
  constant,
  describeSettings,
  requiredSetting,
  setting,
  variablesOf,
} from './setting.js';
import { SettingsError } from './settings-error.js';

const folder = mkdtempSync(join(tmpdir(), 'curtail-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function failure(run: () => unknown): SettingsError {
  try {
    run();
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('settings', () => {
  it('are the defaults if nothing is set, and empty counts as unset', () => {
    const settings = readSettings(serviceSettings, { CURTAIL_TOKEN: '', CURTAIL_PORT: ' ' });
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      token: undefined,
      databaseUrl: undefined,
      bodyLimitBytes: 33_554_432,
      logLevel: 'info',
    });
  });

  it('are typed values of the variables', () => {
    const env = { CURTAIL_PORT: '0', CURTAIL_TOKEN: 'sixteen-letters!', DATABASE_URL: 'postgres://u:p@h/db' };
    expect(readSettings(serviceSettings, env)).toMatchObject({
      port: 0,
      token: 'sixteen-letters!',
      databaseUrl: 'postgres://u:p@h/db',
    });
  });

  it.each([
    ['CURTAIL_PORT', '80x', 'is not a whole number'],
    ['CURTAIL_PORT', '65536', 'is too large'],
    ['CURTAIL_PORT', '-1', 'is not a whole number'],
    ['CURTAIL_PORT', '1e3', 'is not a whole number'],
    ['CURTAIL_DATABASE_POOL', '1', 'is too small'],
    ['CURTAIL_LOG_LEVEL', 'loud', 'is not known'],
    ['CURTAIL_PUBLIC_ORIGIN', 'curtail', 'is not an address'],
    ['DATABASE_URL', 'mysql://u:p@h/db', 'has another scheme'],
    ['CURTAIL_TOKEN', 'short', 'is too short'],
  ])('refuse %s = %s: %s', (variable, value, wrong) => {
    const { problems } = failure(() => readSettings(serviceSettings, { [variable]: value }));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.variable).toBe(variable);
    expect(problems[0]?.wrong).toContain(wrong);
    expect(problems[0]?.remedy).toMatch(/^expected ./);
  });

  it.each([
    ['2', 2],
    ['loopback, 10.0.0.0/8,fd00::/8', ['loopback', '10.0.0.0/8', 'fd00::/8']],
  ])('name proxies by their number or their addresses: %s', (text, expected) => {
    expect(proxies.parse(text)).toEqual(expected);
  });

  it.each(['0', '10', 'yes', 'proxy.example.org', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/8/8', 'loopback,'])(
    'refuse %j as proxies',
    (text) => {
      expect(proxies.safeParse(text).success).toBe(false);
    },
  );

  it('list all missing and wrong ones at once', () => {
    const schema = {
      ...serviceSettings,
      kafka: requiredSetting('CURTAIL_KAFKA', oneOf(['on', 'off']), { help: 'Bus' }),
    };
    const { message } = failure(() =>
      readSettings(schema, { CURTAIL_PORT: '80x', CURTAIL_LOG_LEVEL: 'loud' }),
    );
    expect(message.split('\n')).toEqual([
      '3 settings are missing or wrong:',
      '  CURTAIL_PORT = "80x" is not a whole number: expected a whole number from 0 to 65535, for example 8080',
      '  CURTAIL_LOG_LEVEL = "loud" is not known: expected one of fatal, error, warn, info, debug, trace, silent',
      '  CURTAIL_KAFKA is not set: give one of on, off',
    ]);
  });

  it('never show a secret, not even a wrong one', () => {
    const { message } = failure(() =>
      readSettings(serviceSettings, { CURTAIL_TOKEN: 'tooshort', DATABASE_URL: 'mysql://u:hunter22@h/db' }),
    );
    expect(message).not.toMatch(/tooshort|hunter22/);
    expect(message).toContain('CURTAIL_TOKEN (secret, 8 characters) is too short');
  });

  it('are read from a file too, and the environment takes precedence', () => {
    const file = join(folder, 'curtail.env');
    writeFileSync(file, '# Curtail\nCURTAIL_PORT=9000\nCURTAIL_LOG_LEVEL="debug"\n');
    expect(readSettings(serviceSettings, { CURTAIL_PORT: '9001' }, file)).toMatchObject({
      port: 9001,
      logLevel: 'debug',
    });
  });

  it('name the file that cannot be read', () => {
    const { message } = failure(() => readSettings(serviceSettings, {}, join(folder, 'absent.env')));
    expect(message).toContain('absent.env');
  });

  it.each([
    ['CURTAIL_PROT', 'CURTAIL_PORT'],
    ['CURTAIL_TOKEN_FIEL', 'CURTAIL_TOKEN_FILE'],
    ['CURTAIL_LOGLEVEL', 'CURTAIL_LOG_LEVEL'],
  ])('have no misspelt name: %s', (variable, meant) => {
    const file = join(folder, 'misspelt.env');
    writeFileSync(file, `${variable}=7\n`);
    for (const read of [{ [variable]: '7' }, {}].map((env) => () => readSettings(serviceSettings, env, file)))
      expect(failure(read).list).toEqual([`${variable} is not a setting: write ${meant}, or unset it`]);
    expect(() => readSettings(serviceSettings, { [variable]: ' ' })).not.toThrow();
  });

  it('have no misspelt name in an agent: it would report and evict for another partition', () => {
    const schema = {
      partition: setting('CURTAIL_AGENT_PARTITION', oneOf(['a', 'default']), {
        default: 'default',
        help: 'Partition',
      }),
    };
    expect(failure(() => readSettings(schema, { CURTAIL_AGENT_PARTITON: 'a' })).list).toEqual([
      'CURTAIL_AGENT_PARTITON is not a setting: write CURTAIL_AGENT_PARTITION, or unset it',
    ]);
  });

  it.each(['CURTAIL_SETTING_OF_ANOTHER', 'CURTAIL_JAVA', 'CURTAIL_CONSOLE_SERVICE_PORT', 'HOST'])(
    'may stand among others: %s',
    (variable) => {
      expect(() => readSettings(serviceSettings, { [variable]: '7' })).not.toThrow();
    },
  );

  it('warn of those that no version, or only another one, has: they have no effect', () => {
    const file = join(folder, 'removed.env');
    writeFileSync(file, 'CURTAIL_CEILING_PER_HOUR=5\nCURTAIL_PORT=0\n');
    const warnings: string[] = [];
    const log = { warn: (_: object, sentence: string) => warnings.push(sentence) } as unknown as Logger;
    const env = { CURTAIL_LEASE_SECONDS: 'hunter22', CURTAIL_HOST_FILE: '/h', CURTAIL_TOKEN_FILE: '/t' };
    const others = ['CURTAIL_SERVER', 'CURTAIL_AGENT_LEASE', 'CURTAIL_CONSOLE_PORT_8080_TCP', 'TERM'];
    Object.assign(env, { CURTAIL_AGENT_NAMESPACE: 'curtail' });
    for (const name of others) Object.assign(env, { [name]: '7' });
    warnOfUnknownSettings(log, { ...env, CURTAIL_EXTENSIONS: '', CURTAIL_SETTINGS: file });
    expect(warnings.map((sentence) => sentence.split(' is no setting')[0])).toEqual([
      'CURTAIL_CEILING_PER_HOUR',
      'CURTAIL_LEASE_SECONDS',
      'CURTAIL_HOST_FILE',
      'CURTAIL_AGENT_NAMESPACE',
    ]);
    expect(warnings.join()).not.toContain('hunter22');
  });

  it('have constants, which no variable changes and no list shows', () => {
    const schema = {
      tries: constant(3),
      level: setting('CURTAIL_LEVEL', wholeNumber({ min: 1, max: 9 }), { default: 1, help: 'Level' }),
    };
    expect(readSettings(schema, { tries: '4', CURTAIL_TRIES: '4', CURTAIL_LEVEL: '2' })).toEqual({
      tries: 3,
      level: 2,
    });
    expect(variablesOf(schema)).toEqual([schema.level]);
    expect(describeSettings(schema)).toMatch(/^ {2}CURTAIL_LEVEL {2}Level .*$/);
  });

  it('are described by name, meaning, range and default', () => {
    const schema = {
      tries: setting('CURTAIL_TRIES', wholeNumber({ min: 1, max: 9 }), { default: 3, help: 'Tries' }),
    };
    expect(describeSettings(schema)).toBe('  CURTAIL_TRIES  Tries (a whole number from 1 to 9; default 3)');
    const values = setting(
      'CURTAIL_VALUES',
      kindOf(
        'values',
        z.string().transform(() => ({})),
      ),
      {
        default: {},
        help: 'Values',
      },
    );
    expect(describeSettings({ values })).toContain('default {}');
    for (const one of variablesOf(serviceSettings)) {
      expect(describeSettings(serviceSettings)).toContain(aboutSetting(one).variable);
    }
  });
});

describe('a secret', () => {
  const path = join(folder, 'secret');
  const read = (env: Record<string, string>) => readSettings(serviceSettings, env);

  it('may be in a file of its own', () => {
    writeFileSync(path, 'sixteen-letters!\n');
    expect(read({ CURTAIL_TOKEN_FILE: path }).token).toBe('sixteen-letters!');
    writeFileSync(path, ' postgres://u:hunter22@h/db\n');
    expect(read({ DATABASE_URL_FILE: path }).databaseUrl).toBe('postgres://u:hunter22@h/db');
    const schema = { url: requiredSetting('SOME_URL', oneOf(['a']), { help: 'x', secret: true }) };
    writeFileSync(path, 'a\n');
    expect(readSettings(schema, { SOME_URL_FILE: path }).url).toBe('a');
  });

  it('is refused with its file where that cannot be read, is empty, or is one of two', () => {
    writeFileSync(path, 'hunter22');
    for (const [env, wrong] of [
      [{ CURTAIL_TOKEN_FILE: join(folder, 'absent') }, 'CURTAIL_TOKEN_FILE names a file that cannot be read'],
      [
        { CURTAIL_TOKEN_FILE: path, CURTAIL_TOKEN: 'sixteen-letters!' },
        'CURTAIL_TOKEN_FILE is set, and so is CURTAIL_TOKEN',
      ],
      [{ CURTAIL_TOKEN_FILE: path }, 'CURTAIL_TOKEN (secret, 8 characters) is too short'],
    ] as const) {
      const { message } = failure(() => read(env));
      expect(message).toContain(wrong);
      expect(message).not.toMatch(/hunter22|sixteen/);
    }
  });

  it('is read from a file only where it is one', () => {
    expect(read({ CURTAIL_HOST_FILE: '/absent' }).host).toBe('127.0.0.1');
  });
});
