import type { Response } from 'express';
import { z } from 'zod';
import { readChecked } from '../access/checked-file.js';

/** A team that may change the queues below its own, and read everything. docs/how-to/secure.md, "Tokens of teams" */
export interface Team {
  name: string;
  /** In lower case, as the path of the queue. */
  partition: string;
  queue: string;
  /** SHA-256 of its token, in hexadecimal. */
  sha256: string;
}

const teamsSchema = z.strictObject({
  teams: z
    .array(
      z.strictObject({
        name: z.string().trim().min(1).max(100),
        partition: z.string().min(1).max(200).toLowerCase().default('default'),
        queue: z
          .string()
          .regex(/^root(\.[\w:#/@-]{1,64})+$/i, 'write the path of a queue below root, such as root.research')
          .toLowerCase(),
        sha256: z
          .string()
          .regex(
            /^[0-9a-fA-F]{64}$/,
            'write the SHA-256 of the token in hexadecimal: printf %s "$TOKEN" | sha256sum',
          )
          .toLowerCase(),
      }),
    )
    .max(10_000)
    .superRefine((teams, issues) => {
      const seen = new Map<string, string>();
      for (const [index, { name, sha256 }] of teams.entries()) {
        const other = seen.get(sha256);
        if (other !== undefined)
          issues.addIssue({ code: 'custom', path: [index], message: `has the token of ${other}` });
        seen.set(sha256, name);
      }
    }),
});

/** Teams by the SHA-256 of the token of each, in hexadecimal. @throws RefusedFile */
export function readTeams(path: string): Map<string, Team> {
  const { teams } = readChecked(path, teamsSchema);
  return new Map(teams.map((team) => [team.sha256, team]));
}

/** The team whose token the request carries; undefined: it carries another credential, or needs none. */
export const teamOf = (response: Pick<Response, 'locals'>): Team | undefined => response.locals.team;
