import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { configurationLimits, readFairShareSettings } from '#contracts';
import { readConfiguration } from '../read-configuration.js';

const read = (text: string) => readConfiguration(text, { format: 'ytsaurus' });
/** The lines stand below `pool_trees.t`, the first of them on line 3. */
const tree = (...lines: string[]) =>
  ['pool_trees:', '  t:', ...lines.map((line) => `    ${line}`)].join('\n');

describe('pool trees of YTsaurus', () => {
  it('enforce lowered limits after curtail_delay, and leave them out of fair-share then', () => {
    const { errors, partitions, queues } = read(
      tree('curtail_delay: 10m', 'config: {main_resource: cpu}', 'pools: {a: {resource_limits: {cpu: 1}}}'),
    );
    expect(errors).toEqual([]);
    expect(partitions).toEqual([
      {
        name: 't',
        quotaPreemptionEnabled: true,
        policies: { 'fair-share': { mainResource: 'vcore', reasons: ['starvation', 'overcommit'] } },
      },
    ]);
    expect(queues.map(({ path, delaySeconds }) => [path, delaySeconds])).toEqual([
      ['root', 600],
      ['root.a', 600],
    ]);
    const off = read(tree('curtail_delay: 0', 'pools: {a: {}}'));
    expect(off.partitions).toEqual([
      { name: 't', quotaPreemptionEnabled: false, policies: { 'fair-share': {} } },
    ]);
    expect(read(tree('curtail_delay: soon', 'pools: {a: {}}')).errors).toMatchObject([
      { path: 'pool_trees.t.curtail_delay', line: 3, message: expect.stringContaining('such as 500ms, 30s') },
    ]);
  });

  it('count curtail_config in the place of config, and name the one with the error', () => {
    const { errors, partitions } = read(
      tree(
        'config: {fair_share_starvation_timeout: 1d, main_resource: cpu}',
        'curtail_config: {fair_share_starvation_timeout: 30s}',
      ),
    );
    expect(errors).toEqual([]);
    expect(partitions?.[0]?.policies).toEqual({
      'fair-share': { fairShareStarvationTimeout: 30_000, mainResource: 'vcore' },
    });
    const wrong = read(tree('config: {main_resource: cpu}', 'curtail_config: {main_resource: apples}'));
    expect(wrong.errors).toMatchObject([{ path: 'pool_trees.t.curtail_config.main_resource', line: 4 }]);
  });

  it('are partitions with policy settings, their pools queues with amounts and properties', () => {
    const result = readConfiguration(`pool_trees:
  physical:
    config: {fair_share_starvation_timeout: 30s, main_resource: cpu, preemption_satisfaction_threshold: 0.9, reasons: [starvation, resource_limits]}
    pools:
      Prod: {weight: 2, strong_guarantee_resources: {cpu: 100.5, user_slots: 200}, pools: {batch: {mode: fifo, fifo_sort_parameters: [start_time, weight]}}}
      ads: {parent: Prod, resource_limits: {memory: 500000000000, gpu: 2, network: 7}, enable_aggressive_starvation: true, non_preemptible_resource_usage_threshold: {cpu: 1}}
  cloud:
`);
    expect(result.errors).toEqual([]);
    expect(result.warnings).toEqual([]);
    expect(result.format).toBe('ytsaurus');
    expect(result.partitions).toEqual([
      {
        name: 'physical',
        quotaPreemptionEnabled: false,
        policies: {
          'fair-share': {
            fairShareStarvationTimeout: 30_000,
            mainResource: 'vcore',
            preemptionSatisfactionThreshold: 0.9,
            reasons: ['starvation', 'resource-limits'],
          },
        },
      },
      { name: 'cloud', quotaPreemptionEnabled: false, policies: { 'fair-share': {} } },
    ]);
    expect(result.queues).toMatchObject([
      { partition: 'physical', path: 'root', parent: true },
      {
        path: 'root.prod',
        guaranteed: { vcore: 100_500, pods: 200 },
        max: null,
        properties: { weight: 2 },
        parent: true,
      },
      {
        path: 'root.prod.batch',
        properties: { mode: 'fifo', fifoSortParameters: ['startTime', 'weight'] },
        parent: false,
      },
      {
        path: 'root.prod.ads',
        max: { memory: 5e11, 'nvidia.com/gpu': 2, network: 7 },
        properties: {
          enableAggressiveStarvation: true,
          nonPreemptibleResourceUsageThreshold: { vcore: 1000 },
        },
      },
      { partition: 'cloud', path: 'root' },
    ]);
  });

  it('are read the same as `yt get` prints them, with or without a name above', () => {
    const written = {
      t: {
        config: { best_allocation_share: true },
        pools: { a: { weight: 2, pools: { b: { mode: 'fifo' } } } },
      },
    };
    const printed = {
      t: {
        $attributes: { config: { best_allocation_share: true } },
        $value: {
          a: { $attributes: { weight: 2 }, $value: { b: { $attributes: { mode: 'fifo' }, $value: {} } } },
        },
      },
    };
    const expected = readConfiguration({ json: { pool_trees: written } });
    expect(expected.queues.map(({ path }) => path)).toEqual(['root', 'root.a', 'root.a.b']);
    for (const json of [printed, { pool_trees: printed }, { $attributes: {}, $value: printed }]) {
      expect(readConfiguration({ json })).toEqual(expected);
      expect(readConfiguration(JSON.stringify(json)).queues).toEqual(expected.queues);
    }
  });

  it.each([
    ['30000', 30_000],
    ['0', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
  ])('have the duration %s', (written, ms) => {
    const { partitions } = read(tree(`config: {preemptive_scheduling_backoff: ${written}}`));
    expect(partitions[0]?.policies['fair-share']).toEqual({ preemptiveSchedulingBackoff: ms });
  });

  it('take older names, and list attributes that have no effect here', () => {
    const { partitions, warnings, valid } = read(
      tree(
        'config: {fair_share_preemption_timeout: 7, job_interrupt_timeout: 8s, job_count_preemption_timeout_coefficient: 20, nodes_filter: x}',
        'default_parent_pool: research',
        'pools:',
        '  a: {integral_guarantees: {}, allocation_preemption_timeout: 5}',
      ),
    );
    expect(valid).toBe(true);
    expect(partitions[0]?.policies['fair-share']).toEqual({
      fairShareStarvationTimeout: 7,
      allocationPreemptionTimeout: 8000,
      allocationCountPreemptionTimeoutCoefficient: 20,
    });
    expect(warnings.map(({ code, path, line }) => [code, path, line])).toEqual([
      ['ignored-attribute', 'pool_trees.t.config.nodes_filter', 3],
      ['ignored-attribute', 'pool_trees.t.default_parent_pool', 4],
      ['ignored-attribute', 'pool_trees.t.pools.a.integral_guarantees', 6],
      ['ignored-attribute', 'pool_trees.t.pools.a.allocation_preemption_timeout', 6],
    ]);
    const [ofTree, ofPool] = [
      { kind: 'partition', name: 't' },
      { kind: 'queue', name: 'root.a' },
    ];
    expect(warnings.map(({ about }) => about)).toEqual([ofTree, ofTree, ofPool, ofPool]);
  });

  it('set protection in their own terms, written or printed', () => {
    const pools = { Prod: { pools: { Batch: {} } }, adhoc: {} };
    const protect = {
      pools: ['batch', 'ADHOC', '<Root>'],
      operations: ['1-2-3-4'],
      users: ['robot'],
      allocations: [],
      priority_at_least: 100.5,
    };
    const expected = {
      protect: {
        queues: ['root.prod.batch', 'root.adhoc', 'root'],
        applications: ['1-2-3-4'],
        users: ['robot'],
        allocations: [],
        priorityAtLeast: 100.5,
      },
      bestAllocationShare: true,
    };
    const config = { best_allocation_share: true };
    const written = { t: { config, curtail_protect: protect, pools } };
    const $value = { Prod: { $value: { Batch: {} } }, adhoc: { $attributes: {} } };
    const printed = { t: { $attributes: { config, curtail_protect: protect }, $value } };
    for (const json of [written, printed]) {
      const { errors, warnings, partitions } = readConfiguration({ json: { pool_trees: json } });
      expect([errors, warnings]).toEqual([[], []]);
      expect(partitions[0]?.policies['fair-share']).toEqual(expected);
      expect(() => readFairShareSettings(expected)).not.toThrow();
    }
    expect(read(tree('curtail_protect: ~')).partitions[0]?.policies).toEqual({ 'fair-share': {} });
    expect(read(tree('curtail_protect: {users: ~}')).partitions[0]?.policies).toEqual({
      'fair-share': { protect: {} },
    });
  });

  describe('that have no name, or may have none', () => {
    const pool = (attributes: object, children: object = {}) => ({
      $attributes: attributes,
      $value: children,
    });
    const guaranteed = (cpu: number) => ({ strong_guarantee_resources: { cpu } });
    const prod = { prod: pool(guaranteed(5), { etl: { deep: pool({ weight: 2 }) } }), rest: {} };
    const found = (json: object) => {
      const { errors, queues } = readConfiguration({ json }, { partition: 'mine' });
      return { errors, queues: queues.map(({ partition, path }) => `${partition} ${path}`) };
    };
    const all = (partition: string) => ({
      errors: [],
      queues: ['', '.prod', '.prod.etl', '.prod.etl.deep', '.rest'].map((path) => `${partition} root${path}`),
    });

    it.each<[string, object]>([
      ['with its config', pool({ config: {} }, prod)],
      ['with its type', pool({ type: 'scheduler_pool_tree' }, prod)],
      ['without attributes, by those of its pools', prod],
      ['with others, by those of its pools', pool({ id: '1-2-3-4' }, prod)],
      ['written by hand', { config: {}, pools: prod }],
    ])('are one partition, as it is called, if they are one tree %s', (_, json) => {
      expect(found(json)).toEqual(all('mine'));
      const { queues } = readConfiguration({ json });
      expect(queues[1]).toMatchObject({ partition: 'default', guaranteed: { vcore: 5000 } });
    });

    it.each<[string, object]>([
      ['with their config', { t: pool({ config: {} }, prod) }],
      ['with their type', { t: pool({ type: 'scheduler_pool_tree' }, prod) }],
      [
        'in a list with attributes',
        pool({ type: 'scheduler_pool_tree_map' }, { t: pool({ config: {} }, prod) }),
      ],
      ['below pool_trees', { pool_trees: { t: prod } }],
    ])('are partitions of their names if they are trees %s', (_, json) => {
      expect(found(json)).toEqual(all('t'));
    });

    it.each<[string, object, string]>([
      [
        'a pool',
        pool(guaranteed(5), { etl: pool({ weight: 1 }) }),
        'this is one pool, and a plan needs all of its tree',
      ],
      [
        'trees or pools',
        { t: pool({ id: '1' }, prod) },
        'these may be trees, or the pools of one tree; print the attribute config',
      ],
      [
        'trees and pools',
        { t: pool({ config: {} }), prod: pool(guaranteed(5)) },
        'some of these are trees, others are pools',
      ],
      [
        'what is not printed',
        { t: pool({ config: {}, opaque: true }, null as never) },
        'is printed as opaque',
      ],
    ])('are refused if they may be %s', (_, json, message) => {
      expect(readConfiguration({ json }).errors).toMatchObject([
        { message: expect.stringContaining(message) },
      ]);
    });
  });

  describe('take the limits and guarantees of YTsaurus under all their names', () => {
    const prod = (attributes: string) => {
      const { errors, warnings, queues } = read(tree(`pools: {prod: {${attributes}}}`));
      const { max, guaranteed, clusterShare, properties } = queues[1] ?? {};
      return { errors, codes: warnings.map(({ code }) => code), max, guaranteed, clusterShare, properties };
    };
    const clean = { errors: [], codes: [] };

    it('a guarantee under its older name, also beside the same amounts', () => {
      const older = 'min_share_resources: {cpu: 5}';
      expect(prod(older)).toMatchObject({ ...clean, guaranteed: { vcore: 5000 } });
      expect(prod(`${older}, strong_guarantee_resources: {cpu: 5.0}`)).toMatchObject({
        ...clean,
        guaranteed: { vcore: 5000 },
      });
      for (const other of ['{cpu: 6}', '{cpu: 5, memory: 1}', '{}']) {
        expect(prod(`${older}, strong_guarantee_resources: ${other}`).errors).toMatchObject([
          {
            path: 'pool_trees.t.pools.prod.min_share_resources',
            line: 3,
            message: expect.stringContaining('which is here too with other amounts'),
          },
        ]);
      }
      expect(prod('min_share_resources: {cpu: 0.0001}').errors).toMatchObject([
        { path: 'pool_trees.t.pools.prod.min_share_resources.cpu' },
      ]);
    });

    it.each([
      ['0.35', '7/20'],
      ['0.333', '333/1000'],
      ['0', '0'],
      ['0.1', '1/10'],
    ])('a limit of %s of the cluster', (ratio, max) => {
      expect(prod(`max_share_ratio: ${ratio}`)).toMatchObject({ ...clean, max: null, clusterShare: { max } });
    });

    it('a limit that limits nothing, also beside amounts', () => {
      expect(prod('max_share_ratio: 1.0')).toEqual({ ...prod('weight: 1'), properties: undefined });
      expect(prod('max_share_ratio: 1, resource_limits: {cpu: 1}')).toMatchObject({
        ...clean,
        max: { vcore: 1000 },
      });
    });

    it.each([
      ['max_share_ratio: 1.1', 'a number from 0 to 1, not "1.1"'],
      ['max_share_ratio: -0.1', 'a number from 0 to 1'],
      ['max_share_ratio: "0.5"', 'a number from 0 to 1'],
      [
        'max_share_ratio: 0.5, resource_limits: {cpu: 1}',
        'by resource_limits or by max_share_ratio here, not by both',
      ],
      ['min_share_ratio: 0.5', 'write the amounts as strong_guarantee_resources'],
    ])('and refuse %s', (attributes, message) => {
      const name = attributes.split(':')[0];
      expect(prod(attributes).errors).toMatchObject([
        { path: `pool_trees.t.pools.prod.${name}`, line: 3, message: expect.stringContaining(message) },
      ]);
    });

    it.each([
      [
        '{guarantee_type: burst, burst_guarantee_resources: {cpu: 5}, resource_flow: {cpu: 1}}',
        'guarantee-incomplete',
      ],
      ['{resource_flow: {cpu: 1}}', 'guarantee-incomplete'],
      ['{guarantee_type: none, resource_flow: {cpu: 1}}', 'ignored-attribute'],
      ['{guarantee_type: relaxed, resource_flow: {cpu: 0}}', 'ignored-attribute'],
      ['{}', 'ignored-attribute'],
    ])('and warn of %s with %s', (value, code) => {
      expect(prod(`integral_guarantees: ${value}`)).toMatchObject({ errors: [], codes: [code] });
    });

    it('aggressive preemption under its older name', () => {
      expect(prod('allow_aggressive_starvation_preemption: false')).toMatchObject({
        ...clean,
        properties: { allowAggressivePreemption: false },
      });
    });

    it.each([
      ['max_unpreemptible_running_allocation_count: 5', { pods: 5 }],
      ['max_unpreemptable_running_job_count: 5', { pods: 5 }],
      [
        'max_unpreemptible_running_job_count: 5, non_preemptible_resource_usage_threshold: {cpu: 1}',
        { pods: 5, vcore: 1000 },
      ],
      [
        'max_unpreemptible_running_job_count: 5, non_preemptible_resource_usage_threshold: {user_slots: 0}',
        { pods: 0 },
      ],
    ])('allocations that are safe by their number: %s', (config, nonPreemptibleResourceUsageThreshold) => {
      const { errors, warnings, partitions } = read(tree(`config: {${config}}`));
      expect([errors, warnings]).toEqual([[], []]);
      expect(partitions[0]!.policies['fair-share']).toEqual({ nonPreemptibleResourceUsageThreshold });
    });
  });

  it('warn of a guarantee above the own limit', () => {
    const { valid, warnings } = read(
      tree('pools: {a: {strong_guarantee_resources: {cpu: 2}, resource_limits: {cpu: 1}}}'),
    );
    expect(valid).toBe(true);
    expect(warnings).toMatchObject([
      { code: 'guarantee-above-limit', path: 'pool_trees.t.pools.a.strong_guarantee_resources.cpu', line: 3 },
    ]);
  });

  describe('warn of a timeout above the aggressive one of the tree', () => {
    const warned = (...lines: string[]) => {
      const { errors, warnings } = read(tree(...lines));
      expect(errors).toEqual([]);
      expect(new Set(warnings.map(({ code }) => code)).size).toBeLessThan(2);
      return warnings.map(({ path, line, message }) => [
        path.replace('pool_trees.t.pools.', ''),
        line,
        message,
      ]);
    };
    const message = (timeoutMs: number, aggressiveMs: number, pool: string) =>
      expect.stringMatching(
        `^${timeoutMs} ms is above .*, ${aggressiveMs} ms: ${pool} starves aggressively as soon as it starves, after ${aggressiveMs} ms`,
      );

    it('where aggressive starvation is enabled, by the tree or by a pool', () => {
      const timeout = 'fair_share_starvation_timeout: 120001';
      expect(warned(`pools: {a: {enable_aggressive_starvation: true, ${timeout}}}`)).toEqual([
        ['a.fair_share_starvation_timeout', 3, message(120_001, 120_000, 'root.a')],
      ]);
      const config =
        'config: {enable_aggressive_starvation: true, fair_share_aggressive_starvation_timeout: 40s}';
      expect(
        warned(config, 'pools:', '  a:', '    fair_share_preemption_timeout: 50s', '  b: {weight: 2}'),
      ).toEqual([['a.fair_share_preemption_timeout', 6, message(50_000, 40_000, 'root.a')]]);
      expect(warned(`pools: {a: {${timeout}}}`)).toEqual([]);
      expect(warned(config, `pools: {a: {enable_aggressive_starvation: false, ${timeout}}}`)).toEqual([]);
      expect(warned(config, 'pools: {a: {fair_share_starvation_timeout: 40s}}')).toEqual([]);
    });

    it('once, at its field, for all pools that inherit it', () => {
      expect(
        warned(
          'pools:',
          '  a: {fair_share_starvation_timeout: 3m, pools: {b: {enable_aggressive_starvation: true, pools: {c: {}}}, d: {}}}',
          '  e: {parent: b, fair_share_starvation_timeout: 1m}',
        ),
      ).toEqual([['a.fair_share_starvation_timeout', 4, message(180_000, 120_000, 'root.a.b')]]);
    });
  });

  const config = 'pool_trees.t.config';
  const pools = 'pool_trees.t.pools';
  const protect = 'pool_trees.t.curtail_protect';
  it.each<[string, string, string]>([
    [
      'config: {fair_share_starvation_tolerance: 1.1}',
      `${config}.fair_share_starvation_tolerance`,
      'from 0 to 1',
    ],
    [
      'config: {fair_share_starvation_timeout: -1}',
      `${config}.fair_share_starvation_timeout`,
      'whole milliseconds',
    ],
    [
      'config: {fair_share_starvation_timeout: 1.5s}',
      `${config}.fair_share_starvation_timeout`,
      'whole milliseconds',
    ],
    [
      'config: {fair_share_starvation_timeout: "30"}',
      `${config}.fair_share_starvation_timeout`,
      'whole milliseconds',
    ],
    [
      'config: {preemption_satisfaction_threshold: 0}',
      `${config}.preemption_satisfaction_threshold`,
      'above 0',
    ],
    [
      'config: {allocation_count_preemption_timeout_coefficient: 0.5}',
      `${config}.allocation_count_preemption_timeout_coefficient`,
      'at least 1',
    ],
    ['config: {enable_pool_starvation: "true"}', `${config}.enable_pool_starvation`, 'true or false'],
    ['config: {main_resource: disk}', `${config}.main_resource`, 'cpu, memory'],
    [
      'config: {fifo_pool_scheduling_order: lifo}',
      `${config}.fifo_pool_scheduling_order`,
      'satisfaction or fifo',
    ],
    ['config: {reasons: [boredom]}', `${config}.reasons`, 'a list of starvation'],
    [
      'config: {job_interrupt_timeout: 1, allocation_preemption_timeout: 1}',
      `${config}.job_interrupt_timeout`,
      'older name',
    ],
    [
      'config: {preemption_satisfaction_threshold: 0.5, aggressive_preemption_satisfaction_threshold: 0.6}',
      `${config}.aggressive_preemption_satisfaction_threshold`,
      'at most',
    ],
    [
      'config: {fair_share_starvation_timeout: 10m}',
      `${config}.fair_share_aggressive_starvation_timeout`,
      'at least',
    ],
    ['config: [1]', config, 'a mapping'],
    ['curtail_protect: [robot]', protect, 'a mapping'],
    ['curtail_protect: {queues: [root.a]}', `${protect}.queues`, 'known are pools, operations'],
    ['curtail_protect: {users: robot}', `${protect}.users`, 'a list of at most'],
    ['curtail_protect: {users: [robot, 7]}', `${protect}.users[1]`, 'digits in quotes, not "7"'],
    ['curtail_protect: {operations: [""]}', `${protect}.operations[0]`, 'write a name'],
    ['curtail_protect: {allocations: [[a]]}', `${protect}.allocations[0]`, 'not a list'],
    ['curtail_protect: {priority_at_least: high}', `${protect}.priority_at_least`, 'a number, not "high"'],
    ['{pools: {a: {}}, curtail_protect: {pools: [a, b]}}', `${protect}.pools[1]`, 'a pool that the tree has'],
    ['curtail_protected: {}', 'pool_trees.t.curtail_protected', 'curtail_protect'],
    ['config: {curtail_protect: {}}', `${config}.curtail_protect`, 'a tree can have curtail_protect'],
    ['pools: {a: {curtail_protect: {}}}', `${pools}.a.curtail_protect`, 'a tree can have'],
    ['pools: {a: {weight: 0}}', `${pools}.a.weight`, 'above 0'],
    ['pools: {a: {mode: lifo}}', `${pools}.a.mode`, 'fair_share or fifo'],
    ['pools: {a: {fifo_sort_parameters: [age]}}', `${pools}.a.fifo_sort_parameters`, 'start_time'],
    [
      'pools: {a: {resource_limits: {disk: 1}}}',
      `${pools}.a.resource_limits.disk`,
      'is not a supported type',
    ],
    ['pools: {a: {resource_limits: {cpu: 0.0001}}}', `${pools}.a.resource_limits.cpu`, 'three decimals'],
    ['pools: {a: {resource_limits: {memory: 1.5}}}', `${pools}.a.resource_limits.memory`, 'whole'],
    ['pools: {a: {resource_limits: {memory: -1}}}', `${pools}.a.resource_limits.memory`, 'at least 0'],
    ['pools: {"a b": {}}', `${pools}."a b"`, 'A-Z a-z 0-9'],
    ['pools: {Root: {}}', `${pools}.Root`, 'above all pools'],
    ['pools: {a: {pools: {b: {}}}, B: {}}', `${pools}.B`, 'of that name already'],
    ['pools: {a: {parent: b}}', `${pools}.a.parent`, 'no pool "b"'],
    ['pools: {a: {pools: {b: {parent: c}}}, c: {}}', `${pools}.a.pools.b.parent`, 'is below a'],
    ['pools: {a: {parent: b}, b: {parent: c}, c: {parent: a}}', `${pools}.a.parent`, 'a -> b -> c -> a'],
    ['pools: {a: {parent: a}}', `${pools}.a.parent`, 'a -> a'],
    ['pools: {a: {mode: fifo, pools: {b: {}}}}', `${pools}.a.mode`, 'b is below it'],
    [
      'pools: {a: {strong_guarantee_resources: {cpu: 1}, pools: {b: {strong_guarantee_resources: {cpu: 0.6}}, c: {strong_guarantee_resources: {cpu: 0.5}}}}}',
      `${pools}.a.strong_guarantee_resources.cpu`,
      '1100m vcore',
    ],
    ['pools: {a: {pools: {b: {strong_guarantee_resources: {gpu: 1}}}}}', `${pools}.a`, 'none of its own'],
    ['pools: 5', pools, 'a mapping'],
    ['{$attributes: {}, $value: {}, weight: 1}', 'pool_trees.t.weight', 'nothing is allowed beside'],
  ])('are refused with %s', (line, path, message) => {
    const { valid, errors } = read(tree(line));
    expect(valid).toBe(false);
    expect(errors).toEqual([
      { path, message: expect.stringContaining(message), line: 3, column: expect.any(Number) },
    ]);
  });

  it('protect as many as plans take, and no more', () => {
    const users = Array.from({ length: 100_001 }, (_, i) => `u${i}`);
    const json = (list: string[]) => ({ json: { pool_trees: { t: { curtail_protect: { users: list } } } } });
    expect(readConfiguration(json(users.slice(1))).errors).toEqual([]);
    expect(readConfiguration(json(users)).errors).toMatchObject([{ path: `${protect}.users` }]);
  });

  it('report all problems at once, each with its line', () => {
    const { errors } = read(
      tree(
        'config:',
        '  fair_share_starvation_tolerance: 2',
        'pools:',
        '  a: {weight: -1}',
        '  b: {parent: x}',
      ),
    );
    expect(errors.map(({ line }) => line)).toEqual([4, 6, 7]);
    expect(read('pool_trees: {}').errors).toMatchObject([{ path: 'pool_trees' }]);
    expect(read('pool_trees: {t: {}, T: {}}').errors).toMatchObject([{ path: 'pool_trees.T' }]);
    expect(read('{pool_trees: {t: }, partitions: []}').errors).toMatchObject([{ path: 'partitions' }]);
  });

  it('may be as deep as configurations are, and no deeper', () => {
    const chain = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`p${i}`, i === 0 ? {} : { parent: `p${i - 1}` }]));
    const deepest = readConfiguration({
      json: { pool_trees: { t: { pools: chain(configurationLimits.depth) } } },
    });
    expect(deepest.queues).toHaveLength(configurationLimits.depth + 1);
    const deeper = readConfiguration({ json: { pool_trees: { t: { pools: chain(50_000) } } } });
    expect(deeper.errors).toMatchObject([{ path: `pool_trees.t.pools.p${configurationLimits.depth}` }]);
  });

  const seed = Date.now() % 100_000;
  it(`are equal nested and flat, in any order (seed ${seed})`, () => {
    const parents = fc.array(fc.nat(), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(parents, fc.nat(), (above, turn) => {
        const names = above.map((_, i) => `p${i}`);
        const parentOf = above.map((number, i) => (i === 0 || number % 3 === 0 ? undefined : number % i));
        const nested = names.map((_, i) => ({ weight: i + 1, pools: {} as Record<string, unknown> }));
        const top: Record<string, unknown> = {};
        for (const [i, parent] of parentOf.entries()) {
          const place = parent === undefined ? top : (nested[parent]?.pools ?? {});
          place[`p${i}`] = nested[i];
        }
        const flat = names.map((name, i): [string, unknown] => {
          const parent = parentOf[i];
          return [name, { weight: i + 1, ...(parent === undefined ? {} : { parent: `p${parent}` }) }];
        });
        const turned = [...flat.slice(turn % flat.length), ...flat.slice(0, turn % flat.length)];
        const queuesOf = (pools: unknown) => {
          const { errors, queues } = readConfiguration({ json: { pool_trees: { t: { pools } } } });
          expect(errors).toEqual([]);
          return queues.toSorted((a, b) => (a.path < b.path ? -1 : 1));
        };
        expect(queuesOf(Object.fromEntries(turned))).toEqual(queuesOf(top));
      }),
      { seed },
    );
  });
});
