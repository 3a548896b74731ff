import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type Document, isSeq, parseDocument, stringify } from 'yaml';
import { digestOf, RefusedFile, readTokens, roleNames } from '#platform';
import { replaceFile } from '../contexts/config-file.js';
import type { Action, Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { CommandError } from '../terminal/errors.js';

interface MakeOptions {
  file?: string;
  role?: string;
  partition?: string;
  queue?: string;
  days: number;
}

const dayMs = 86_400_000;

export const make: Action = {
  run: async (invocation: Invocation, name: string, { file, role, partition, queue, days }: MakeOptions) => {
    if (role !== undefined && !(roleNames as readonly string[]).includes(role))
      throw new CommandError(
        `there is no role ${JSON.stringify(role)}: write one of ${roleNames.join(', ')}`,
      );
    if (role === undefined && (partition !== undefined || queue !== undefined))
      throw new CommandError('--partition and --queue limit a role: give --role, too');
    const token = randomBytes(32).toString('base64url');
    const entry = {
      name,
      sha256: digestOf(token).toString('hex'),
      ...(days > 0 && { expires: new Date(Date.now() + days * dayMs).toISOString() }),
      ...(role !== undefined && { role }),
      ...(partition !== undefined && { partition }),
      ...(queue !== undefined && { queue }),
    };
    if (file !== undefined) addTo(file, entry);
    await print(invocation, {
      value: { token, ...entry, ...(file !== undefined && { file }) },
      table: () => [token, ...(file === undefined ? stringify([entry]).trimEnd().split('\n') : [])],
      names: () => [token],
    });
    invocation.report('the token is shown once: hand it over by a safe way');
  },
};

/** Adds an entry in one step. Existing entries and comments stay unchanged. @throws CommandError */
function addTo(file: string, entry: { name: string }): void {
  try {
    const document = existsSync(file) ? readDocument(file) : parseDocument('tokens: []\n');
    const list = document.get('tokens', true);
    if (isSeq(list)) list.flow = false;
    document.addIn(['tokens'], document.createNode(entry));
    replaceFile(file, document.toString());
  } catch (error) {
    throw error instanceof CommandError
      ? error
      : new CommandError(
          error instanceof RefusedFile ? error.message : `cannot write ${file}: ${(error as Error).message}`,
        );
  }
}

function readDocument(file: string): Document {
  readTokens(file);
  return parseDocument(readFileSync(file, 'utf8'));
}
