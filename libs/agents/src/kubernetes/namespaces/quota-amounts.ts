import { InputError, type Resources } from '@curtail/contracts';
import type { ResourceQuota } from '../objects.js';
import { baseUnits, isWhole, parseQuantity, resourceType } from '../quantity.js';
import type { Finding } from '../queue-source.js';

/** Resources that a quota may limit under their bare names as well. */
const bare = new Set(['cpu', 'memory', 'ephemeral-storage', 'pods']);
/**
 * Limits on anything but running work: numbers of objects, storage, claimed devices, and limits of containers, which no scheduler
 * counts.
 */
const beside =
  /^(limits\.|count\/|requests\.storage$|.*\.storageclass\.storage\.k8s\.io\/|.*\.deviceclass\.resource\.k8s\.io\/devices$|(persistentvolumeclaims|services|services\.loadbalancers|services\.nodeports|secrets|configmaps|replicationcontrollers|resourcequotas)$)/;

/**
 * The amounts that the quotas of one namespace allow its pods, in base units; of several quotas, the smallest amount of each type
 * counts. An unreadable amount is a finding.
 */
export function quotaAmounts(quotas: readonly ResourceQuota[]): { max: Resources; findings: Finding[] } {
  const findings: Finding[] = [];
  const smallest = new Map<string, { amount: number; quota: ResourceQuota }>();
  const sorted = [...quotas].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const quota of sorted) {
    const addFinding = (severity: Finding['severity'], code: string, field: string, message: string) =>
      findings.push({ severity, object: objectOf(quota), field, code, message });
    const { hard = {}, scopes = [], scopeSelector } = quota.spec ?? {};
    if (scopes.length > 0 || scopeSelector !== undefined) {
      addFinding(
        'warning',
        'quota-scoped',
        'spec.scopes',
        'this quota is not enforced: it only applies to some of the pods',
      );
      continue;
    }
    const keys = Object.keys(hard);
    const ofLimits = keys.find((key) => key.startsWith('limits.'));
    if (ofLimits !== undefined && keys.every((key) => resourceOf(key) === 'beside')) {
      addFinding(
        'warning',
        'quota-of-limits',
        `spec.hard[${JSON.stringify(ofLimits)}]`,
        `this quota is not enforced: it counts the limits of containers, but only their requests take room; write requests.${ofLimits.slice('limits.'.length)}`,
      );
    }
    for (const [key, text] of Object.entries(hard)) {
      const field = `spec.hard[${JSON.stringify(key)}]`;
      const resource = resourceOf(key);
      if (resource === 'beside') continue;
      if (resource === undefined) {
        addFinding(
          'error',
          'quota-resource-unknown',
          field,
          `${JSON.stringify(key)} limits no resource of pods: write requests.${key}`,
        );
        continue;
      }
      const amount = amountOf(resource, text, field, addFinding);
      if (amount === undefined) continue;
      const type = resourceType(resource);
      const before = smallest.get(type);
      if (before && before.amount !== amount) {
        const kept = before.amount < amount ? before.quota : quota;
        addFinding(
          'warning',
          'quotas-several',
          field,
          `several quotas of this namespace limit ${type}: the smallest counts, of ${kept.metadata.name}`,
        );
      }
      if (!before || amount < before.amount) smallest.set(type, { amount, quota });
    }
  }
  return { max: Object.fromEntries([...smallest].map(([type, { amount }]) => [type, amount])), findings };
}

function resourceOf(key: string): string | 'beside' | undefined {
  if (bare.has(key)) return key;
  if (key === 'count/pods') return 'pods';
  if (beside.test(key)) return 'beside';
  if (key.startsWith('hugepages-')) return key;
  const asked = /^requests\.(.+)$/.exec(key)?.[1];
  if (asked === undefined) return undefined;
  return bare.has(asked) || asked.includes('/') || asked.startsWith('hugepages-') ? asked : undefined;
}

function amountOf(
  resource: string,
  text: string,
  field: string,
  addFinding: (severity: 'error', code: string, field: string, message: string) => void,
): number | undefined {
  try {
    const quantity = parseQuantity(String(text), field);
    if (isWhole(resource, quantity)) return baseUnits(resource, quantity);
    const smallest = resource === 'cpu' ? 'thousandths of a CPU, such as 1500m' : 'whole units';
    addFinding(
      'error',
      'quota-fraction',
      field,
      `${text} is a fraction that cannot be counted: write ${smallest}`,
    );
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    addFinding('error', 'quota-unreadable', field, error.message);
  }
  return undefined;
}

export const objectOf = ({ metadata }: ResourceQuota): Finding['object'] => ({
  kind: 'ResourceQuota',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid,
});
