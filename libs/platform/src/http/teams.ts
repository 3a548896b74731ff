import { readFileSync, statSync } from 'node:fs';
import type { Response } from 'express';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { inPlainWords, schemaFaults, yamlFaults } from '#contracts';
import { kindOf, type SettingKind } from '../settings/kinds.js';

/** A team that may change the queues below its own, and read everything. docs/how-to/secure.md, "Tokens of teams" */
export interface Team {
  name: string;
  /** In lower case, as the path of the queue. */
  partition: string;
  queue: string;
  /** SHA-256 of its token, in hexadecimal. */
  sha256: string;
}

const bytesAtMost = 4 * 1024 * 1024;

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

/** The path of a file of teams, whose content becomes the value. */
export const teamsFile: SettingKind<Team[]> = kindOf(
  'the path of a YAML or JSON file with teams: a list of name, partition, queue, and the sha256 of a token',
  z.string().transform((path, issues) => {
    const wrong = (message: string) => {
      issues.addIssue(message);
      return z.NEVER;
    };
    let text: string;
    try {
      if (statSync(path).size > bytesAtMost) return wrong(`is larger than ${bytesAtMost} bytes`);
      text = readFileSync(path, 'utf8');
    } catch (error) {
      return wrong(`cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
    }
    const lineCounter = new LineCounter();
    // Pretty errors quote the file.
    const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false, lineCounter });
    const [fault] = yamlFaults(text, document.errors);
    if (fault !== undefined) {
      const { line, col } = lineCounter.linePos(fault.offset);
      return wrong(`is wrong at ${line}:${col}: ${fault.message}`);
    }
    const { success, data, error } = teamsSchema.safeParse(document.toJS(), { error: inPlainWords });
    if (success) return data.teams;
    const [wrongField] = schemaFaults(error.issues);
    return wrong(`is wrong: ${wrongField!.path}: ${wrongField!.message}`);
  }),
);

/** The team whose token the request carries; undefined: it carries another credential, or needs none. */
export const teamOf = (response: Pick<Response, 'locals'>): Team | undefined => response.locals.team;
