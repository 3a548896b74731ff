import { describe, expect, it } from '@jest/globals';
import { readYarnSettings } from './agent-options.js';

const xml = (name: string, value: string) =>
  `<configuration>\n<property><name>${name}</name><value>${value}</value></property>\n</configuration>`;

describe('the file of settings for YARN', () => {
  it('has keys for the configuration, and options of the agent', () => {
    expect(readYarnSettings(xml('yarn.scheduler.capacity.root.quota-preemption-delay', '10m'))).toEqual({
      properties: new Map([['yarn.scheduler.capacity.root.quota-preemption-delay', '10m']]),
      evictsMasters: false,
      killsApplications: false,
    });
    expect(readYarnSettings(xml('curtail.agent.evict-application-masters', 'true')).evictsMasters).toBe(true);
  });

  it.each([
    ['curtail.agent.evict-aplication-masters', 'true', 'there is no such option'],
    ['curtail.agent.kill-applications', 'true', 'set curtail.agent.evict-application-masters to true, too'],
    ['curtail.agent.evict-application-masters', 'yes', 'write true or false, not "yes"'],
  ])('refuses %s = %s', (name, value, message) => {
    expect(() => readYarnSettings(xml(name, value))).toThrow(message);
  });

  it('names the line of what cannot be read', () => {
    expect(() => readYarnSettings('<configuration>\n<property>\n</configuration>')).toThrow(
      expect.objectContaining({ name: 'InputError', line: 2 }),
    );
  });
});
