import { describe, expect, it } from '@jest/globals';
import { readConfigurationLine } from './batch-line.js';

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
    ['{', '', 'not JSON'],
    ['a: b', '', 'not JSON'],
    ['[]', '', 'a line is an object'],
    ['{}', 'config', 'a line has a "config"'],
    ['{"config":{},"format":"xml"}', 'format', 'write "yunikorn"'],
    ['{"config":{},"config":{}}', 'config', 'stands twice'],
    ['{"config":{},"settings":{"delayInheritance":1}}', 'settings.delayInheritance', 'true or false'],
  ])('%s is refused', (line, path, message) => {
    expect(() => readConfigurationLine(line)).toThrow(
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    );
  });
});
