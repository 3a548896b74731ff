/** The fields of a Lease (coordination.k8s.io/v1) that are read and written here. */
export interface Lease {
  apiVersion: 'coordination.k8s.io/v1';
  kind: 'Lease';
  metadata: {
    name: string;
    namespace: string;
    resourceVersion?: string;
    annotations?: Readonly<Record<string, string>>;
  };
  spec: {
    /** Empty: it has no holder. */
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/** No agent that held the lease has sent a report with a greater sequence. */
export const sequenceAnnotation = 'curtail.io/sequence';

/** @returns 0 for a missing or invalid sequence. */
export function sequenceOf(lease: Lease | undefined): number {
  const text = lease?.metadata.annotations?.[sequenceAnnotation] ?? '';
  const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(value) ? value : 0;
}

/** The lease that its holder writes next. */
export function held(
  before: Lease | undefined,
  by: {
    namespace: string;
    name: string;
    identity: string;
    durationSeconds: number;
    sequence: number;
    now: Date;
  },
): Lease {
  const time = by.now.toISOString().replace(/Z$/, '000Z');
  const isSame = before?.spec.holderIdentity === by.identity;
  const { acquireTime = time, leaseTransitions = 0 } = before?.spec ?? {};
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...before?.metadata,
      name: by.name,
      namespace: by.namespace,
      annotations: { ...before?.metadata.annotations, [sequenceAnnotation]: String(by.sequence) },
    },
    spec: {
      holderIdentity: by.identity,
      leaseDurationSeconds: by.durationSeconds,
      acquireTime: isSame ? acquireTime : time,
      renewTime: time,
      leaseTransitions: isSame || before === undefined ? leaseTransitions : leaseTransitions + 1,
    },
  };
}

/** The released lease; the next holder need not wait. */
export const released = (lease: Lease): Lease => ({
  ...lease,
  spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 },
});
