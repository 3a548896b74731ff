import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';

/** Whether the server of these data is that process and answers a query. */
export async function letsIn(url: string, cluster: string, pid: number): Promise<boolean> {
  const [first] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  if (Number(first) !== pid) return false;
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1000, query_timeout: 2000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
