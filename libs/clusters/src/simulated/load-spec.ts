import { z } from 'zod';
import { InputError } from '#contracts';
import { checkInput } from '#platform';
import { behaviorFields } from './behavior.js';
import { checkQueuePath } from './place.js';

const amounts = z.record(
  z
    .string()
    .regex(
      /^[a-zA-Z0-9_./-]{1,64}$/,
      'is not the name of a resource type: write one such as memory or nvidia.com/gpu',
    ),
  z.number().int().min(0).max(1e15),
);

const PARTITION = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The body of a request for generated work. */
export const loadSpec = z.strictObject({
  /** The queue above everything that is loaded. */
  under: z.string().default('root.load'),
  /** Leaves. */
  queues: z.number().int().min(1).max(100_000),
  /** Levels from `under` to the leaves. */
  depth: z.number().int().min(1).max(8).default(1),
  allocations: z.number().int().min(0).max(2_000_000),
  /** At least one a leaf; by default one for each twenty allocations. */
  applications: z.number().int().min(1).max(1_000_000).optional(),
  users: z.number().int().min(1).max(100_000).default(50),
  /** By default one for each fifty allocations. */
  nodes: z.number().int().min(0).max(100_000).optional(),
  seed: z.number().int().min(0).max(0xffffffff).default(1),
  /** The sizes of the allocations, drawn evenly. Memory in bytes, vcore in millicores. */
  resources: z
    .array(amounts)
    .min(1)
    .max(100)
    .default([
      { memory: 2_000_000_000, vcore: 500 },
      { memory: 4_000_000_000, vcore: 1000 },
      { memory: 8_000_000_000, vcore: 2000 },
    ]),
  startedWithinHours: z.number().min(0).max(8784).default(24),
  daemonsPercent: z.number().min(0).max(100).default(1),
  taskPriorities: z
    .array(z.number().int().min(-1e9).max(1e9))
    .min(1)
    .max(100)
    .optional()
    .describe('Priorities of single allocations, drawn evenly, in place of those of their applications.'),
  unwillingPercent: z
    .number()
    .min(0)
    .max(100)
    .default(10)
    .describe('Allocations with `allowPreemption: false`.'),
  refusingPercent: z.number().min(0).max(100).default(0).describe('Allocations that refuse evictions.'),
  slowPercent: z.number().min(0).max(100).default(0).describe('Allocations that leave slowly.'),
  ...behaviorFields,
  /** The first allocation of each application is its originator. */
  originators: z.boolean().default(true),
  /** Removes the work below `under` first; without it, `under` must be empty. */
  replace: z.boolean().default(false),
});

export type LoadSpec = z.input<typeof loadSpec>;
type Optional = 'taskPriorities' | keyof typeof behaviorFields;
export type CheckedLoadSpec = Required<Omit<z.output<typeof loadSpec>, Optional>> &
  Pick<z.output<typeof loadSpec>, Optional>;

/** Fills in what is absent. @throws RefusedInput with all faulty fields; InputError if the fields do not fit together. */
export function readLoadSpec(input: unknown): CheckedLoadSpec {
  const spec = checkInput(loadSpec, input);
  const applications = spec.applications ?? Math.max(spec.queues, Math.ceil(spec.allocations / 20));
  if (applications < spec.queues) {
    throw new InputError(
      'applications',
      `${applications} applications cannot be in ${spec.queues} queues: give at least one for each queue.`,
    );
  }
  const under = checkQueuePath('under', spec.under);
  if (under === 'root') {
    throw new InputError('under', 'Root itself cannot be loaded: give a queue below it, such as root.load.');
  }
  return { ...spec, under, applications, nodes: spec.nodes ?? Math.ceil(spec.allocations / 50) };
}

/** The name of a partition as used in addresses and keys, in lower case as configurations have it; InputError for anything else. */
export function readPartition(name: string): string {
  if (PARTITION.test(name)) return name.toLowerCase();
  throw new InputError(
    'partition',
    `"${name.slice(0, 100)}" is not a partition name: use 1 to 64 of a-z, A-Z, 0-9, _ . -`,
  );
}
