import { randomBytes } from 'node:crypto';
import { kafkaBrokers } from '../support/kafka.js';

/**
 * A way to start Curtail in one process: options of `curtail start`, and settings. `own` makes those that a start has to itself, on the servers of the
 * lane.
 */
export interface Shape {
  options?: string;
  settings?: Record<string, string>;
  own?: (on: { database: string }) => Record<string, string>;
  /** Is in its banner. */
  shows: RegExp;
}

const kafka = () => ({
  KAFKA_BROKERS: kafkaBrokers().join(','),
  CURTAIL_KAFKA_TOPIC_PREFIX: `test-${randomBytes(4).toString('hex')}.`,
});
const redis = () => ({
  REDIS_URL: process.env.REDIS_URL ?? '',
  CURTAIL_KAFKA_TOPIC_PREFIX: `test-${randomBytes(4).toString('hex')}.`,
});

/** Each with one value after the other of what selects a shape: cluster, mode, bus, wake-ups, database. */
export const shapes: Record<string, Shape> = {
  'nothing given': { shows: /mode: enforce, cluster: simulated.*\/ui\/#token=/s },
  'no token': { settings: { CURTAIL_AUTH: 'none' }, shows: /Nobody needs a token/ },
  'the settings of the defaults': {
    settings: {
      ...{
        CURTAIL_CLUSTER: 'simulated',
        CURTAIL_MODE: 'enforce',
        CURTAIL_DEFAULT_MODE: 'enforce',
        CURTAIL_SAMPLE: 'yes',
        CURTAIL_READ_ONLY: 'no',
        CURTAIL_AUTH: 'token',
      },
      CURTAIL_KUBERNETES_QUEUES: 'namespaces',
    },
    own: kafka,
    shows: /mode: enforce, cluster: simulated/,
  },
  'the other settings': {
    settings: {
      ...{
        CURTAIL_CLUSTER: 'inventory',
        CURTAIL_MODE: 'observe',
        CURTAIL_DEFAULT_MODE: 'observe',
        CURTAIL_SAMPLE: 'no',
        CURTAIL_READ_ONLY: 'yes',
      },
      CURTAIL_KUBERNETES_QUEUES: 'yunikorn',
    },
    own: ({ database }) => ({ DATABASE_URL: database, ...kafka(), ...redis() }),
    shows: /mode: observe, cluster: inventory/,
  },
  'options in their place': {
    options: '--cluster simulated --mode observe --no-sample',
    own: redis,
    shows: /mode: observe, cluster: simulated/,
  },
  'beside a YARN that does not answer yet': {
    settings: { CURTAIL_CLUSTER: 'yarn', CURTAIL_YARN_URL: 'http://127.0.0.1:1' },
    own: redis,
    shows: /mode: observe by default, cluster: yarn/,
  },
  'beside a YTsaurus that does not answer yet': {
    settings: {
      CURTAIL_CLUSTER: 'ytsaurus',
      CURTAIL_YTSAURUS_URL: 'http://127.0.0.1:1',
      CURTAIL_YTSAURUS_TREE: 'physical',
      CURTAIL_YTSAURUS_DELAY: '10m',
    },
    own: redis,
    shows: /mode: observe by default, cluster: ytsaurus/,
  },
  'a database of its own alone': {
    options: '--cluster inventory --mode enforce',
    own: ({ database }) => ({ DATABASE_URL: database, ...kafka() }),
    shows: /mode: enforce, cluster: inventory/,
  },
};

/** The same beside a Kubernetes; `CURTAIL_KUBECONFIG` and, with YuniKorn, its address are given besides. */
export const shapesOnKubernetes: Record<string, Shape> = {
  'namespaces, by options': {
    options: '--cluster kubernetes --queues namespaces',
    shows: /mode: observe by default, cluster: kubernetes/,
  },
  'namespaces, by settings': {
    settings: {
      CURTAIL_CLUSTER: 'kubernetes',
      CURTAIL_KUBERNETES_QUEUES: 'namespaces',
      CURTAIL_MODE: 'enforce',
    },
    shows: /mode: enforce, cluster: kubernetes/,
  },
  'yunikorn, by options': {
    options: '--cluster kubernetes --queues yunikorn --mode enforce',
    shows: /mode: enforce, cluster: kubernetes/,
  },
  'yunikorn, by settings': {
    settings: {
      CURTAIL_CLUSTER: 'kubernetes',
      CURTAIL_KUBERNETES_QUEUES: 'yunikorn',
      CURTAIL_MODE: 'observe',
    },
    shows: /mode: observe, cluster: kubernetes/,
  },
};
