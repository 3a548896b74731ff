import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { PostgresStartError } from './postgres-start-error.js';

/** An account of the operating system, in the form for `spawn` and `chown`. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

const preferred = ['postgres', 'nobody'];
const ordinaryUids = { from: 1000, to: 60_000 };

/**
 * Finds the account to run PostgreSQL as, which refuses to run as root; undefined = that of this process.
 *
 * @param ownerUid the present owner of the data, who keeps it, so that an ordinary user can still open a folder after
 * root has used it once.
 */
export async function serverAccount(ownerUid?: number): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  const account = chooseAccount(accounts, ownerUid);
  if (account) return account;
  throw new PostgresStartError(
    'PostgreSQL cannot run as root, and this machine has no ordinary account to run it as.',
    'Create one (`useradd --system postgres`), or start as an ordinary user.',
  );
}

/** The owner of the data, else `postgres`, else `nobody`, else the first ordinary account. Never root. */
export function chooseAccount(accounts: Account[], ownerUid?: number): Account | undefined {
  if (ownerUid) return accounts.find((account) => account.uid === ownerUid);
  const named = preferred.map((name) => accounts.find((account) => account.name === name && account.uid > 0));
  const ordinary = accounts.find(({ uid }) => uid >= ordinaryUids.from && uid < ordinaryUids.to);
  return [...named, ordinary].find((account) => account !== undefined);
}

/** Reads passwd(5). initdb reads its own account there, so a number alone would not do. */
export function parsePasswd(text: string): Account[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    const complete = name && uid && gid && /^\d+$/.test(uid) && /^\d+$/.test(gid);
    return complete ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

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
