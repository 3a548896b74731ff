import { describe, expect, it } from '@jest/globals';
import type { Resources } from '#contracts';
import type { YarnQueue } from './answers.js';
import {
  type ConfigurationParts,
  makeConfiguration,
  monitorKey,
  type Shown,
  schedulerProperties,
} from './configuration.js';

const mebibyte = 1024 ** 2;
const amounts = (megabytes: number, vcores: number): Resources => ({
  memory: megabytes * mebibyte,
  vcore: vcores * 1000,
});
const queue = (
  path: string,
  guaranteed: Resources,
  max: Resources,
  more: Partial<YarnQueue> = {},
): YarnQueue => ({
  path,
  guaranteed,
  max,
  isLeaf: true,
  isAutoCreated: false,
  isPreemptionDisabled: false,
  ...more,
});
/** As a manager of 3.4.2 shows them: 12 % of 512,000 MB are 61,439 MB, and 8 % of 500 vcores are 39. */
const all = amounts(512_000, 500);
const shown: Shown = {
  nodes: [{ id: 'n1', capacity: all, labels: [] }],
  queues: {
    labels: [],
    queues: [
      queue('root', all, all),
      queue('root.prod', amounts(450_559, 439), all),
      queue('root.dev', amounts(61_439, 59), amounts(61_439, 59)),
      queue('root.dev.a', amounts(36_863, 35), amounts(61_439, 59)),
    ],
  },
  isSizeSettled: true,
};
const own = new Map([
  ['yarn.scheduler.capacity.root.queues', 'prod,dev'],
  ['yarn.scheduler.capacity.root.prod.capacity', '88'],
  ['yarn.scheduler.capacity.root.dev.capacity', '12'],
  ['yarn.scheduler.capacity.root.dev.maximum-capacity', '12'],
]);
const parts = (more: Partial<ConfigurationParts> = {}): ConfigurationParts => ({
  scheduler: own,
  manager: new Map(),
  settings: new Map(),
  isMonitorOn: false,
  ...more,
});
const two: Shown = { ...shown, queues: { labels: [], queues: shown.queues.queues.slice(0, 3) } };
const made = (given: ConfigurationParts, look: Shown) => {
  const result = makeConfiguration('default', given, look);
  if (result.kind !== 'made') throw new Error(result.message);
  return { ...result.data, configuration: result.data.configuration as Record<string, string> };
};

describe('the configuration of YARN', () => {
  it('is submitted where its shares give the amounts that the manager shows', () => {
    const { configuration } = made(parts(), two);
    expect(configuration).toMatchObject({ 'yarn.scheduler.capacity.root.dev.maximum-capacity': '12' });
  });

  it('is not submitted where the manager enforces another maximum: its file was not refreshed', () => {
    const scheduler = new Map([...own, ['yarn.scheduler.capacity.root.dev.maximum-capacity', '13']]);
    expect(makeConfiguration('default', parts({ scheduler }), two)).toEqual({
      kind: 'differs',
      message: expect.stringContaining(
        'root.dev: its maximum memory is 61439 at the manager, and 66559 by its configuration',
      ),
    });
  });

  it('is not submitted without a queue that the manager has, or with one that it has not', () => {
    expect(makeConfiguration('default', parts(), shown)).toMatchObject({
      kind: 'differs',
      message: expect.stringContaining('root.dev.a is a queue of the manager, and is not configured'),
    });
    const without = { ...two, queues: { labels: [], queues: two.queues.queues.slice(0, 2) } };
    expect(makeConfiguration('default', parts(), without)).toMatchObject({
      message: expect.stringContaining('root.dev is configured, and the manager does not have it'),
    });
  });

  it('leaves out queues that YARN has made by itself', () => {
    const dynamic = queue('root.dev.alice', amounts(0, 0), amounts(61_439, 59), { isAutoCreated: true });
    const look = { ...two, queues: { labels: [], queues: [...two.queues.queues, dynamic] } };
    expect(makeConfiguration('default', parts(), look).kind).toBe('made');
  });

  it('waits while nodes come and go', () => {
    expect(makeConfiguration('default', parts(), { ...two, isSizeSettled: false }).kind).toBe('differs');
  });

  it('waits for nodes', () => {
    expect(makeConfiguration('default', parts(), { ...two, nodes: [] })).toMatchObject({
      kind: 'differs',
      message: expect.stringContaining('no node is part of the cluster'),
    });
  });

  it('has the settings that YARN has no key for; where both set a key, the scheduler wins', () => {
    const settings = new Map([
      ['yarn.scheduler.capacity.root.quota-preemption-delay', '10m'],
      ['yarn.scheduler.capacity.root.dev.maximum-capacity', '50'],
    ]);
    expect(made(parts({ settings }), two).configuration).toMatchObject({
      'yarn.scheduler.capacity.root.quota-preemption-delay': '10m',
      'yarn.scheduler.capacity.root.dev.maximum-capacity': '12',
    });
  });

  it('comes from the settings alone where the manager does not tell its own', () => {
    expect(made(parts({ scheduler: undefined, settings: own }), two).configuration).toMatchObject(
      Object.fromEntries(own),
    );
  });

  it('preempts in queues only if the settings say so, whatever the monitor of YARN is', () => {
    const enabled = 'yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled';
    const settings = new Map([[monitorKey, 'false']]);
    const off = made(parts({ settings }), two).configuration;
    expect(off).toMatchObject({ [enabled]: 'false' });
    expect(off).not.toHaveProperty([monitorKey]);
    expect(
      made(parts({ settings: new Map([...settings, [enabled, 'true']]) }), two).configuration,
    ).toMatchObject({
      [enabled]: 'true',
    });
  });

  it('needs attention while the monitor of YARN preempts, too', () => {
    expect(made(parts({ isMonitorOn: true }), two).senderNotices).toEqual([
      expect.objectContaining({ code: 'preemption-twice', needsAttention: true }),
    ]);
  });

  it('has node labels where a node has, so that nothing is enforced', () => {
    const look: Shown = {
      ...two,
      nodes: [{ id: 'n1', capacity: all, labels: ['gpu'] }],
      isSizeSettled: false,
    };
    expect(made(parts(), look).configuration).toMatchObject({ 'yarn.node-labels.enabled': 'true' });
  });
});

it('properties are read from one without a list, too', () => {
  const property = { name: 'yarn.scheduler.capacity.root.queues', value: 'a' };
  const expected = new Map([['yarn.scheduler.capacity.root.queues', 'a']]);
  expect(schedulerProperties({ property: [property] })).toEqual(expected);
  expect(schedulerProperties({ property })).toEqual(expected);
  expect(schedulerProperties({})).toEqual(new Map());
});
