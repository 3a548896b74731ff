import {
  type KubernetesApi,
  type Namespace,
  namespaceQueues,
  placeOfObject,
  preemptionTwice,
  type ResourceQuota,
  readYunikornPartitions,
  readYunikornQueues,
  readYunikornVersion,
  type YunikornApi,
} from '#agents/kubernetes';
import { counted } from '#contracts';
import type { Check } from './check.js';

const pageSize = 500;
const shown = 20;

/** Checks that the quotas of namespaces can be enforced as written. */
export async function namespaceChecks(api: KubernetesApi, delay: string): Promise<Check[]> {
  const [namespaces, quotas] = await Promise.all([
    listAll<Namespace>(api, '/api/v1/namespaces'),
    listAll<ResourceQuota>(api, '/api/v1/resourcequotas'),
  ]);
  const { findings } = namespaceQueues(namespaces, quotas, { partition: 'default', delay });
  const found = findings.slice(0, shown).map(({ object, field, message, severity }): Check => {
    const where = placeOfObject(object);
    const among = object.kind === 'Namespace' ? '' : ` --namespace ${object.namespace}`;
    return severity === 'error'
      ? {
          name: 'quotas',
          status: 'problem',
          message: `${where}: ${field}: ${message}`,
          remedy: [`kubectl edit ${object.kind.toLowerCase()} ${object.name}${among}`],
        }
      : { name: 'quotas', status: 'note', message: `${where}: ${field}: ${message}` };
  });
  if (findings.length > shown) {
    const message = `and ${findings.length - shown} more: the agent lists all of them in its log`;
    found.push({ name: 'quotas', status: 'note', message });
  }
  const delayed = namespaces.filter(
    ({ metadata }) => metadata.annotations?.['curtail.io/quota-preemption-delay'] !== undefined,
  );
  const isOff = delay === '0' && delayed.length === 0;
  const summary = `${quotas.length} in ${counted(namespaces.length, 'namespace')}`;
  const remedy = [
    'Give a namespace a delay: kubectl annotate namespace NAME curtail.io/quota-preemption-delay=10m',
    'Or give one to all that have none: CURTAIL_KUBERNETES_DELAY=10m',
  ];
  return [
    isOff
      ? {
          name: 'quotas',
          status: 'note',
          message: `${summary}; none has a delay, so none is enforced`,
          remedy,
        }
      : {
          name: 'quotas',
          status: 'ok',
          message: `${summary}, of which ${counted(delayed.length, 'has a delay of its own', 'have a delay of their own')}`,
        },
    ...found,
  ];
}

async function listAll<T>(api: KubernetesApi, path: string): Promise<T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const page: { metadata: { continue?: string }; items: T[] } = await api.get(path, {
      query: { limit: pageSize, continue: next },
    });
    all.push(...page.items);
    next = page.metadata.continue || undefined;
  } while (next !== undefined);
  return all;
}

/** Checks that YuniKorn answers, has partitions, and leaves enforcement to Curtail. */
export async function yunikornChecks(yunikorn: YunikornApi): Promise<Check[]> {
  const name = 'YuniKorn';
  const partitions = readYunikornPartitions(await yunikorn.json('/ws/v1/partitions'), 'partitions');
  if (partitions.length === 0) {
    const message = `${yunikorn.url} has no partition yet: it has not registered with Kubernetes`;
    return [{ name, status: 'problem', message, remedy: ['Wait a moment, then check the log of YuniKorn.'] }];
  }
  const names = partitions.map((partition) => partition.name).join(', ');
  const version = readYunikornVersion(await yunikorn.json('/ws/v1/clusters'), 'clusters');
  const warnings = await Promise.all(
    partitions.map(async (partition) => {
      const path = `/ws/v1/partition/${encodeURIComponent(partition.name)}/queues`;
      return preemptionTwice(partition, readYunikornQueues(await yunikorn.json(path), 'queues'));
    }),
  );
  const remedy = ['Set preemption.quotapreemptionenabled of the partition to false in queues.yaml.'];
  return [
    versionCheck(yunikorn.url, version, names),
    ...warnings.flatMap((warning): Check[] =>
      warning ? [{ name: 'other schedulers', status: 'problem', message: warning.message, remedy }] : [],
    ),
  ];
}

/** Curtail was tested with answers of 1.9. Custom builds may report any version, or none. */
const testedMinor = 9;

function versionCheck(url: string, version: string | undefined, partitions: string): Check {
  const name = 'YuniKorn';
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (major === '1' && Number(minor) >= testedMinor) {
    return { name, status: 'ok', message: `${url} answers as ${version}; partitions: ${partitions}` };
  }
  const answer = version === undefined ? 'does not report its version' : `is ${version}`;
  return {
    name,
    status: 'note',
    message: `${url} ${answer}: Curtail was tested with 1.${testedMinor}; partitions: ${partitions}`,
    remedy: [
      'Before you let Curtail evict, check that queues and work match those of YuniKorn: curtail get queues',
    ],
  };
}
