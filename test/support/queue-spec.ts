/** A queue as tests write it; amounts as queues.yaml has them. */
export interface QueueSpec {
  max?: Record<string, string | number>;
  guaranteed?: Record<string, string | number>;
  /** A Go duration. */
  delay?: string;
  properties?: Record<string, string | number | object>;
  queues?: Record<string, QueueSpec>;
}

/** A whole configuration of one partition, in the JSON shape of queues.yaml. `queues` are those below root. */
export function configuration(partition: string, queues: Record<string, QueueSpec>, enabled = true): object {
  return {
    partitions: [
      {
        name: partition,
        preemption: { quotapreemptionenabled: enabled },
        queues: [{ name: 'root', queues: queuesOf(queues) }],
      },
    ],
  };
}

function queuesOf(queues: Record<string, QueueSpec>): object[] {
  return Object.entries(queues).map(([name, { max, guaranteed, delay, properties, queues: below }]) => ({
    name,
    ...(below ? { parent: true, queues: queuesOf(below) } : {}),
    ...(max || guaranteed
      ? { resources: { ...(max ? { max } : {}), ...(guaranteed ? { guaranteed } : {}) } }
      : {}),
    ...(delay === undefined && properties === undefined
      ? {}
      : { properties: { ...properties, ...(delay !== undefined && { 'quota.preemption.delay': delay }) } }),
  }));
}
