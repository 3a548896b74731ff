import { z } from 'zod';
import { didYouMean } from '#contracts';
import type { Actor } from './acting.js';
import { readChecked } from './checked-file.js';
import type { Grant } from './grants.js';
import { type AccessRight, builtInRoles, rightNames, roleNames } from './rights.js';
import { Senders, senderFields } from './senders.js';

/** Who may do what, as a policy file says. docs/how-to/identities.md */
export interface AccessPolicy {
  /** The grants of a caller. `isTaken`: another identity has the same subject, and grants to the bare subject are for that one. */
  grantsOf(actor: Actor, options?: { isTaken: boolean }): Grant[];
  /** Who submitted a change cannot approve it. */
  twoPersonRule: boolean;
  /** Who may send messages over Kafka; undefined: the policy says nothing about that. */
  senders?: Senders | undefined;
  /** Of the file, for who checks it. */
  counts: { grants: number; roles: number; senders?: number };
}

export const noPolicy: AccessPolicy = {
  grantsOf: () => [],
  twoPersonRule: false,
  counts: { grants: 0, roles: 0 },
};

const name = z.string().trim().min(1).max(1000);
export const partitionField = z.string().trim().min(1).max(64).toLowerCase();
export const queueField = z
  .string()
  .max(4096)
  .regex(/^root(\.[\w:#/@-]{1,64})*$/i, 'it must be the path of a queue, such as root.research')
  .toLowerCase();

const grant = z
  .strictObject({
    group: name.optional(),
    subject: name.optional(),
    issuer: name.optional(),
    role: name,
    partition: partitionField.optional(),
    queue: queueField.optional(),
  })
  .superRefine(({ group, subject }, issues) => {
    if ((group === undefined) === (subject === undefined))
      issues.addIssue({ code: 'custom', message: 'it must have either group or subject' });
  });

const roleOrRight = [...roleNames, ...rightNames] as const;

const policySchema = z
  .strictObject({
    grants: z.array(grant).max(10_000).default([]),
    roles: z.record(z.string().min(1).max(100), z.array(z.string()).min(1).max(100)).default({}),
    twoPersonRule: z.boolean().default(false),
    senders: senderFields(partitionField, queueField).optional(),
  })
  .superRefine(({ grants, roles }, issues) => {
    for (const role of Object.keys(roles)) {
      if (!Object.hasOwn(builtInRoles, role)) continue;
      issues.addIssue({
        code: 'custom',
        path: ['roles', role],
        message: `${role} is a role of Curtail itself: give it another name`,
      });
    }
    for (const [role, words] of Object.entries(roles)) {
      for (const [index, word] of words.entries()) {
        if ((roleOrRight as readonly string[]).includes(word)) continue;
        issues.addIssue({
          code: 'custom',
          path: ['roles', role, index],
          message: unknown(word, 'right', roleOrRight),
        });
      }
    }
    const known = [...roleNames, ...Object.keys(roles)];
    for (const [index, { role }] of grants.entries()) {
      if (known.includes(role)) continue;
      issues.addIssue({
        code: 'custom',
        path: ['grants', index, 'role'],
        message: unknown(role, 'role', known),
      });
    }
  });

const unknown = (word: string, what: string, known: readonly string[]) =>
  `there is no ${what} ${JSON.stringify(word.slice(0, 80))}; it must be one of ${known.join(', ')}${didYouMean(word, known)}`;

/** The rights of a role of Curtail, or of a role with these words: rights, and roles of Curtail. */
export function rightsOfRole(words: readonly string[]): Set<AccessRight> {
  return new Set(
    words.flatMap((word): readonly AccessRight[] =>
      Object.hasOwn(builtInRoles, word)
        ? builtInRoles[word as keyof typeof builtInRoles]
        : [word as AccessRight],
    ),
  );
}

/** A grant of rights at a place; the root is the whole partition. */
export const grantAt = (
  rights: ReadonlySet<AccessRight>,
  { partition, queue }: { partition?: string | undefined; queue?: string | undefined },
): Grant => ({ rights, partition, queue: queue === 'root' ? undefined : queue });

const keyOf = (subjectOrGroup: string, issuer = ''): string => JSON.stringify([subjectOrGroup, issuer]);

/** Reads a policy file: YAML or JSON. @throws RefusedFile with the line and the field of each fault. */
export function readPolicy(path: string): AccessPolicy {
  const { grants, roles, twoPersonRule, senders } = readChecked(path, policySchema);
  const [bySubject, byGroup] = [new Map<string, Grant[]>(), new Map<string, Grant[]>()];
  for (const { group, subject, issuer, role, partition, queue } of grants) {
    const to = group === undefined ? bySubject : byGroup;
    const key = keyOf((group ?? subject)!, issuer);
    to.set(key, [...(to.get(key) ?? []), grantAt(rightsOfRole(roles[role] ?? [role]), { partition, queue })]);
  }
  return {
    grantsOf: ({ issuer, subject, groups = [] }, { isTaken } = { isTaken: false }) => [
      ...(isTaken ? [] : (bySubject.get(keyOf(subject)) ?? [])),
      ...(bySubject.get(keyOf(subject, issuer)) ?? []),
      ...groups.flatMap((group) => [
        ...(byGroup.get(keyOf(group)) ?? []),
        ...(byGroup.get(keyOf(group, issuer)) ?? []),
      ]),
    ],
    twoPersonRule,
    senders: senders && new Senders(senders),
    counts: {
      grants: grants.length,
      roles: Object.keys(roles).length,
      ...(senders && { senders: senders.length }),
    },
  };
}
