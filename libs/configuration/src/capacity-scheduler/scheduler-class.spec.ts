import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../read-configuration.js';
import { writeHadoopXml } from './hadoop-properties.js';

const key = 'yarn.resourcemanager.scheduler.class';
const packages = 'org.apache.hadoop.yarn.server.resourcemanager.scheduler';
const queues = {
  'yarn.scheduler.capacity.root.queues': 'a',
  'yarn.scheduler.capacity.root.a.capacity': '100',
};
const xml = (properties: object) =>
  writeHadoopXml(Object.entries(properties).map(([name, value]) => ({ name, value })));

describe('the scheduler that YARN runs', () => {
  it.each([
    ['the Fair Scheduler', `${packages}.fair.FairScheduler`],
    ['the FIFO Scheduler', `${packages}.fifo.FifoScheduler`],
    ['the Fair Scheduler', 'FairScheduler'],
  ])('is not %s, which knows none of the queues: %s', (title, name) => {
    const error = { path: key, message: expect.stringContaining(`YARN runs ${title} and reads no capacity`) };
    const yarnSite = { text: xml({ [key]: name }), file: 'yarn-site.xml' };
    expect(readConfiguration(xml(queues), { yarnSite })).toMatchObject({
      errors: [{ ...error, file: 'yarn-site.xml', line: 5 }],
      // Nothing is on in a configuration that is refused.
      warnings: [],
    });
    expect(readConfiguration(xml({ ...queues, [key]: name })).errors).toMatchObject([error]);
    const emr = [
      { Classification: 'yarn-site', Properties: { [key]: name } },
      { Classification: 'capacity-scheduler', Properties: queues },
    ];
    expect(readConfiguration(JSON.stringify(emr)).errors).toMatchObject([error]);
  });

  it.each([
    `${packages}.capacity.CapacityScheduler`,
    'org.apache.hadoop.yarn.sls.scheduler.SLSCapacityScheduler',
  ])('may be %s', (name) => {
    const { valid, warnings } = readConfiguration(xml({ ...queues, [key]: name }));
    expect(valid).toBe(true);
    expect(warnings.map(({ code }) => code)).toEqual(['preemption-by-default']);
  });

  it('may be one of which nothing is known, with a warning', () => {
    const { valid, warnings } = readConfiguration(xml({ ...queues, [key]: 'com.example.Mine' }));
    expect(valid).toBe(true);
    expect(warnings).toMatchObject([
      { code: 'preemption-by-default' },
      { code: 'other-scheduler', path: key },
    ]);
  });
});
