import { readFileSync, statSync } from 'node:fs';
import type { Request, Response } from 'express';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { inPlainWords, isWithin, schemaFaults, yamlFaults } from '#contracts';
import { ProblemException } from '../problems/problem.js';
import { kindOf, type SettingKind } from '../settings/kinds.js';
import { SettingsError } from '../settings/settings-error.js';
import { isReading } from './origin-check.js';

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

/** @throws SettingsError: without the token of the service, everyone may do everything. */
export function assertTeamsNeedToken({ token, teams }: { token?: string; teams?: readonly Team[] }): void {
  if (teams === undefined || token !== undefined) return;
  throw new SettingsError([
    {
      variable: 'CURTAIL_TOKEN',
      wrong: 'is not set, but CURTAIL_TEAMS_FILE is: without it every caller may change everything',
      remedy: 'set CURTAIL_TOKEN for the operators, or leave out CURTAIL_TEAMS_FILE',
    },
  ]);
}

const queueConfiguration = /^\/v1\/partitions\/([^/]+)\/queues\/([^/]+)\/config\/?$/i;

const answers = /^\/v1\/answers\/?$/i;

/**
 * Whether the holder of a team's token may send a request: it reads, changes the configuration of a queue of the team, or answers for an
 * allocation, whose queue the route itself compares. A console decides it too, before it forwards anything.
 */
export function isOpenToTeam(team: Team, { method, path }: Pick<Request, 'method' | 'path'>): boolean {
  if (isReading(method)) return true;
  if (method === 'POST' && answers.test(path)) return true;
  const [, partition, queue] = (method === 'PUT' && queueConfiguration.exec(path)) || [];
  return partition !== undefined && isOfTeam(team, decoded(partition), decoded(queue!));
}

/** As routes read it. An escape that is none makes no name. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part).toLowerCase();
  } catch {
    return '';
  }
}

const isOfTeam = (team: Team, partition: string, queue: string): boolean =>
  partition === team.partition && isWithin(queue, team.queue);

export const setTeam = (response: Response, team: Team): void => {
  response.locals.team = team;
};

/** The team whose token the request carries; undefined: it carries the token of the service, or needs none. */
export const teamOf = (response: Pick<Response, 'locals'>): Team | undefined => response.locals.team;

/** The name that its requests count under, from all addresses; no address is like it. */
export const callerTeam = ({ name }: Team): string => `team ${name}`;

/** @throws ProblemException 403 unless the queue belongs to the team. */
export function assertOfTeam(team: Team, partition: string, queue: string): void {
  if (isOfTeam(team, partition, queue)) return;
  const { name, ...own } = team;
  throw new ProblemException({
    code: 'not-your-queue',
    title: 'The queue belongs to others',
    status: 403,
    detail: `The token of team ${name} is for ${own.queue} in partition ${own.partition} and the queues below it, not for ${queue} in partition ${partition}.`,
    remedy: 'Ask the administrator of the cluster for the change.',
  });
}
