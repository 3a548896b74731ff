import { describe, expect, it } from '@jest/globals';
import { readConfigurationLine, readQuantityLine } from './batch-line.js';

const config = {
  partitions: [
    { queues: [{ name: 'a', properties: { 'quota.preemption.delay': '5m' }, queues: [{ name: 'b' }] }] },
  ],
};

describe('a line of a batch', () => {
  it('gives what the configuration in it gives', () => {
    const result = readConfigurationLine(JSON.stringify({ format: 'yunikorn', config }));
    expect(result.queues.map(({ path, delaySeconds }) => [path, delaySeconds])).toEqual([
      ['root', 0],
      ['root.a', 300],
      ['root.a.b', 300],
    ]);
    expect(readConfigurationLine(JSON.stringify({ config: JSON.stringify(config) }))).toEqual(result);
  });

  it('keeps the digits of numbers, and names paths within the configuration', () => {
    const line =
      '{"config":{"partitions":[{"queues":[{"name":"a","resources":{"quota.preemption.delay":9223372036854775807,"max":{"memory":1e3}}}]}]}}';
    const { errors } = readConfigurationLine(line);
    expect(errors.map(({ path }) => path)).toEqual(['partitions[0].queues[0].resources.max.memory']);
  });

  it('heeds the setting', () => {
    const line = JSON.stringify({ config, settings: { delayInheritance: false } });
    expect(readConfigurationLine(line).queues[2]?.delaySeconds).toBe(0);
  });

  it.each([
    [{}, false],
    [{ guaranteedEqualsMax: null }, false],
    [{ guaranteedEqualsMax: 'allow' }, true],
  ])('heeds %j', (settings, valid) => {
    const resources = { max: { memory: 5 }, guaranteed: { memory: 5 }, 'quota.preemption.delay': 60 };
    const line = JSON.stringify({
      config: { partitions: [{ queues: [{ name: 'a', resources }] }] },
      settings,
    });
    expect(readConfigurationLine(line).valid).toBe(valid);
  });

  it('may end as lines do on Windows, and have any blanks that JSON has', () => {
    const line = JSON.stringify({ config });
    const result = readConfigurationLine(line);
    expect(readConfigurationLine(`${line}\r`)).toEqual(result);
    expect(readConfigurationLine(`{\r${line.slice(1, -1)}\r}\t\r`).queues).toEqual(result.queues);
    expect(readQuantityLine('{"text":"1G"}\r', 'memory')).toBe(10n ** 9n);
  });

  it('lists a key that occurs twice in a configuration with what else is wrong there', () => {
    const { valid, errors } = readConfigurationLine(
      '{"config":{"partitions":[{"queues":[{"name":"a","name":"b","max":{}}]}]}}',
    );
    expect(valid).toBe(false);
    expect(errors.map(({ path }) => path)).toEqual([
      'partitions[0].queues[0].name',
      'partitions[0].queues[0].max',
    ]);
  });

  it.each([
    ['null', '', 'a line is an object'],
    ['{', '', 'not JSON'],
    ['a: b', '', 'not JSON'],
    ['[]', '', 'a line is an object'],
    ['{}', 'config', 'a line has a "config"'],
    ['{"config":{},"format":"xml"}', 'format', 'write "yunikorn"'],
    ['{"config":{},"config":{}}', 'config', 'occurs twice'],
    ['{"config":{},"settings":{"delayInheritance":1}}', 'settings.delayInheritance', 'true or false'],
    ['{"config":{},"settings":{"guaranteedEqualsMax":1}}', 'settings.guaranteedEqualsMax', '"refuse" or'],
  ])('%s is refused', (line, path, message) => {
    expect(() => readConfigurationLine(line)).toThrow(
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    );
  });
});
