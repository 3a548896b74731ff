import { InputError, type Resources } from '#contracts';
import type { ResourceQuota } from '../objects.js';
import { baseUnits, parseKubernetesQuantity, resourceTypeOf, wholeUnits } from '../quantity.js';
import type { Finding } from '../queue-source.js';

/** Resources that a quota may limit under their bare names as well. */
const bare = new Set(['cpu', 'memory', 'ephemeral-storage', 'pods']);
/**
 * Limits on anything but running work: numbers of objects, also those of OpenShift, storage, claimed devices, and limits of containers, which
 * no scheduler counts.
 */
const beside =
  /^(limits\.|count\/|requests\.storage$|([^/]*\.)?(k8s|kubernetes|openshift)\.io\/|(persistentvolumeclaims|services|services\.loadbalancers|services\.nodeports|secrets|configmaps|replicationcontrollers|resourcequotas)$)/;

/**
 * The amounts that the quotas of one namespace allow its pods, in base units; of several quotas, the smallest amount of each type
 * counts. A fraction of a unit is rounded down: the API server compares exact sums, and those of pods are whole. What cannot be read is left out,
 * with a finding.
 */
export function quotaAmounts(quotas: readonly ResourceQuota[]): { max: Resources; findings: Finding[] } {
  const findings: Finding[] = [];
  const smallest = new Map<string, { amount: number; quota: ResourceQuota }>();
  const sorted = [...quotas].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const quota of sorted) {
    const addFinding = (finding: Omit<Finding, 'object'>) =>
      findings.push({ object: objectOf(quota), ...finding });
    const { hard = {}, scopes = [], scopeSelector } = quota.spec ?? {};
    if (scopes.length > 0 || scopeSelector !== undefined) {
      addFinding({
        severity: 'warning',
        code: 'quota-scoped',
        field: scopes.length > 0 ? 'spec.scopes' : 'spec.scopeSelector',
        message: 'this quota is not enforced: it only applies to some of the pods',
        isIgnored: true,
      });
      continue;
    }
    const keys = Object.keys(hard);
    const ofLimits = keys.find((key) => key.startsWith('limits.'));
    if (ofLimits !== undefined && keys.every((key) => resourceOf(key) === 'beside')) {
      addFinding({
        severity: 'warning',
        code: 'quota-of-limits',
        field: fieldOf(ofLimits),
        message: `this quota is not enforced: it counts the limits of containers, but only their requests take room; write requests.${ofLimits.slice('limits.'.length)}`,
        isIgnored: true,
      });
    }
    for (const [key, text] of Object.entries(hard)) {
      const field = fieldOf(key);
      const resource = resourceOf(key);
      if (resource === 'beside') continue;
      if (resource === undefined) {
        const remedy = key.includes('/')
          ? `requests.${key}`
          : 'its full name, such as requests.nvidia.com/gpu';
        addFinding({
          severity: 'warning',
          code: 'quota-resource-unknown',
          field,
          message: `Kubernetes counts no resource of pods under this name, so this limit has no effect; for a resource of pods write ${remedy}`,
          isIgnored: true,
        });
        continue;
      }
      const amount = amountOf(resource, text, field);
      if (typeof amount !== 'number') {
        addFinding({
          severity: 'error',
          code: 'quota-unreadable',
          field,
          message: `${amount.wrong}; until then Curtail enforces only the other limits`,
          isIgnored: true,
        });
        continue;
      }
      const type = resourceTypeOf(resource);
      const before = smallest.get(type);
      if (before && before.amount !== amount) {
        const kept = before.amount < amount ? before.quota : quota;
        addFinding({
          severity: 'warning',
          code: 'quotas-several',
          field,
          message: `several quotas of this namespace limit ${type}: the smallest counts, of ${kept.metadata.name}`,
        });
      }
      if (!before || amount < before.amount) smallest.set(type, { amount, quota });
    }
  }
  return { max: Object.fromEntries([...smallest].map(([type, { amount }]) => [type, amount])), findings };
}

const fieldOf = (key: string) => `spec.hard[${JSON.stringify(key)}]`;

function resourceOf(key: string): string | 'beside' | undefined {
  if (bare.has(key)) return key;
  if (key === 'count/pods') return 'pods';
  if (beside.test(key)) return 'beside';
  if (key.startsWith('hugepages-')) return key;
  const asked = /^requests\.(.+)$/.exec(key)?.[1];
  if (asked === undefined) return undefined;
  return bare.has(asked) || asked.includes('/') || asked.startsWith('hugepages-') ? asked : undefined;
}

function amountOf(resource: string, text: string, field: string): number | { wrong: string } {
  try {
    return wholeUnits(resource, parseKubernetesQuantity(String(text), field));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { wrong: error.message };
  }
}

const objectOf = ({ metadata }: ResourceQuota): Finding['object'] => ({
  kind: 'ResourceQuota',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid,
});

const most = 64;

/**
 * Amounts in an annotation: `cpu=4,memory=16Gi,nvidia.com/gpu=1`, in base units. A fraction of a unit is rounded up: no less is guaranteed than was
 * written.
 *
 * @throws InputError with the remedy.
 */
export function parseAmounts(text: string, path: string): Resources {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > most) throw new InputError(path, `more than ${most} amounts`);
  const amounts: Record<string, number> = {};
  for (const part of parts) {
    const [, name, quantity] = /^([A-Za-z0-9./_-]+)\s*=\s*(\S+)$/.exec(part) ?? [];
    if (name === undefined || quantity === undefined) {
      throw new InputError(
        path,
        `${JSON.stringify(part.slice(0, 64))} is not an amount: write cpu=4,memory=16Gi`,
      );
    }
    const type = resourceTypeOf(name);
    if (Object.hasOwn(amounts, type)) throw new InputError(path, `${name} appears twice: keep one`);
    amounts[type] = baseUnits(name, parseKubernetesQuantity(quantity, path));
  }
  return amounts;
}
