import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Account } from './account.js';

const read = 4;
const enter = 1;

/**
 * Whether the account can enter the folder: it needs access to every folder above. Considers owner, group and mode.
 * Access control lists are not checked; they only make this too careful.
 */
export async function canEnter(account: Account | undefined, folder: string): Promise<boolean> {
  if (!account) return true;
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (!(await allows(account, at, enter))) return false;
    if (at === dirname(at)) return true;
  }
}

/** Whether the account can reach the file and run it. */
export async function canRun(account: Account | undefined, file: string): Promise<boolean> {
  if (!account) return true;
  return (await canEnter(account, dirname(file))) && (await allows(account, file, read | enter));
}

/** Whether the account can enter the folder and list it. */
export async function canList(account: Account | undefined, folder: string): Promise<boolean> {
  if (!account) return true;
  return (await canEnter(account, folder)) && (await allows(account, folder, read));
}

async function allows(account: Account, path: string, wanted: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return false;
  const { mode, uid, gid } = found;
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}
