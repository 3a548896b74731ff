import type { KubernetesApi } from '#agents/kubernetes';
import type { Check } from './check.js';

/** Schedulers with their own objects, by API group. */
const groups: readonly (readonly [group: string, scheduler: string])[] = [
  ['kueue.x-k8s.io', 'Kueue'],
  ['scheduling.volcano.sh', 'Volcano'],
];
const yunikornPods = 'component=yunikorn-scheduler';

/**
 * Finds schedulers that may evict pods of a namespace by their own quotas, beside the ResourceQuotas that Curtail enforces.
 *
 * @param options the options that select the cluster on a command line, such as ` --context lab`.
 */
export async function otherSchedulerChecks(api: KubernetesApi, options: string): Promise<Check[]> {
  const name = 'other schedulers';
  const [known, pods] = await Promise.all([
    api.call('GET', '/apis'),
    api.call('GET', '/api/v1/pods', { query: { labelSelector: yunikornPods, limit: 1 } }),
  ]);
  if (known.code !== 200 || pods.code !== 200) {
    return [{ name, status: 'note', message: 'not checked: this user may not list pods and API groups' }];
  }
  const there = new Set((known.body as { groups?: { name: string }[] }).groups?.map((group) => group.name));
  const found = groups
    .filter(([group]) => there.has(group))
    .map(
      ([, scheduler]): Check => ({
        name,
        status: 'note',
        message: `${scheduler} is installed: it may evict pods by its own quotas, which Curtail does not know`,
        remedy: ['Limit each namespace in one place: by its ResourceQuota, or there.'],
      }),
    );
  const [yunikorn] = (pods.body as { items: { metadata: { namespace?: string } }[] }).items;
  if (yunikorn) {
    found.push({
      name,
      status: 'note',
      message: `YuniKorn runs in the namespace ${yunikorn.metadata.namespace}: it has its own queues and quotas, which Curtail does not know`,
      remedy: [
        `Take queues from it: curtail doctor${options} --queues yunikorn --yunikorn-url http://127.0.0.1:9080`,
      ],
    });
  }
  const none = `none of ${['YuniKorn', ...groups.map(([, scheduler]) => scheduler)].join(', ')} is installed`;
  return found.length > 0 ? found : [{ name, status: 'ok', message: none }];
}
