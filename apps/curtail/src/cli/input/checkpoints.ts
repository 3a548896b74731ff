import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { InputError } from '#contracts';
import { type LogCheckpoint, type LogFault, signedCheckpointSchema } from '#event-store';
import { isSignedBy, type PublicKey, publicKeyOf } from '#platform';
import { CommandError, FileError } from '../terminal/errors.js';

/** The checkpoints of a file whose signatures are right, and the faults of the others. */
export interface CheckpointFile {
  checkpoints: LogCheckpoint[];
  faults: LogFault[];
}

/** Reads a file of lines, each a signed checkpoint. @throws FileError, CommandError */
export async function readCheckpoints(path: string, keyPath: string): Promise<CheckpointFile> {
  const keys = await keysOf(keyPath);
  const found: CheckpointFile = { checkpoints: [], faults: [] };
  let position = '0';
  for (const [index, line] of (await textOfFile(path)).split('\n').entries()) {
    if (line.trim() === '') continue;
    const { data } = signedCheckpointSchema.safeParse(parsed(line));
    if (data === undefined)
      throw new FileError(path, new InputError('', 'this is no signed checkpoint', index + 1));
    const { checkpoint, ...signature } = data;
    position = checkpoint.heads[0]?.position ?? position;
    if (isSignedBy(keys, JSON.stringify(checkpoint), signature)) found.checkpoints.push(checkpoint);
    else
      found.faults.push({
        kind: 'other-checkpoint',
        partition: '*',
        position,
        message: `${path}, line ${index + 1}: the checkpoint of ${checkpoint.at} does not have a signature of this key`,
      });
  }
  return found;
}

export async function textOfFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A key set or a key as JSON, or a key in PEM. */
export async function keysOf(path: string): Promise<PublicKey[]> {
  const text = await textOfFile(path);
  const json = parsed(text) as { keys?: PublicKey[] } | PublicKey | undefined;
  try {
    if (json === undefined) return [publicKeyOf(createPublicKey(text))];
    return 'keys' in json && json.keys ? json.keys : [json as PublicKey];
  } catch {
    throw new CommandError(
      `${path} has no public key of Ed25519: give one as JSON Web Key, or in PEM (openssl pkey -in signing.pem -pubout)`,
    );
  }
}
