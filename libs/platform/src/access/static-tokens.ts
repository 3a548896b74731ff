import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readChecked } from './checked-file.js';
import type { Grant } from './grants.js';
import { grantAt, partitionField, queueField, rightsOfRole } from './policy-file.js';
import { roleNames } from './rights.js';

/** A token with a name, as a file has it. docs/how-to/identities.md, "Named tokens" */
export interface NamedToken {
  name: string;
  groups?: string[];
  /** Undefined: it does not expire. */
  expires?: Date;
  /** What the entry itself grants. A policy file may grant more. */
  grants: Grant[];
}

export const tokenEntry = z.strictObject({
  name: z.string().trim().min(1).max(200),
  sha256: z
    .string()
    .regex(
      /^[0-9a-fA-F]{64}$/,
      'it must be the SHA-256 of a token in hexadecimal: curtail tokens make NAME writes it',
    )
    .toLowerCase(),
  expires: z.iso.datetime({ offset: true }).optional(),
  groups: z.array(z.string().min(1).max(1000)).max(1000).optional(),
  role: z.enum(roleNames).optional(),
  partition: partitionField.optional(),
  queue: queueField.optional(),
});

const tokensSchema = z.strictObject({
  tokens: z
    .array(tokenEntry)
    .max(10_000)
    .superRefine((tokens, issues) => {
      const seen = new Map<string, string>();
      for (const [index, { name, sha256 }] of tokens.entries()) {
        const other = seen.get(sha256);
        if (other !== undefined)
          issues.addIssue({
            code: 'custom',
            path: [index, 'sha256'],
            message: `it is that of ${other}, too`,
          });
        seen.set(sha256, name);
      }
    }),
});

/** Named tokens by the SHA-256 of each, in hexadecimal. @throws RefusedFile */
export function readTokens(path: string): Map<string, NamedToken> {
  const { tokens } = readChecked(path, tokensSchema);
  return new Map(
    tokens.map(({ name, sha256, expires, groups, role, partition, queue }) => [
      sha256,
      {
        name,
        ...(groups && { groups }),
        ...(expires !== undefined && { expires: new Date(expires) }),
        grants: role === undefined ? [] : [grantAt(rightsOfRole([role]), { partition, queue })],
      },
    ]),
  );
}

export const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
