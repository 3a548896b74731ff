import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createLogger } from '#platform';
import { SmallDisk, SmallFolder } from '../../../test/support/small-disk.js';
import { KeptPostgres } from './kept-postgres.js';
import { databaseCheck } from './servers.js';

const isPossible = SmallDisk.isPossible();
(isPossible ? describe : describe.skip)(
  isPossible
    ? 'an embedded database without room for its log of writes'
    : 'an embedded database without room for its log of writes (not run: only root may mount a disk on Linux)',
  () => {
    let disk: SmallFolder;
    let server: KeptPostgres;
    beforeAll(async () => {
      disk = await SmallFolder.make(160);
      const dataDir = join(disk.path, 'data');
      server = await KeptPostgres.start({ dataDir }, createLogger({ logLevel: 'silent' }));
    });
    afterAll(async () => {
      await server?.stop();
      await disk?.remove();
    });

    it('ends, and is called full until there is room again', async () => {
      const check = databaseCheck(server.url, { server });
      const codeOf = async () => {
        try {
          await check.check();
          return 'up';
        } catch (error) {
          return (error as { code?: string }).code;
        }
      };
      const until = async (code: string) => {
        while ((await codeOf()) !== code) await delay(20);
      };
      expect(await codeOf()).toBe('up');
      const client = new Client({ connectionString: server.url });
      client.on('error', () => {});
      await client.connect();
      await disk.fill();
      const log = "SELECT pg_logical_emit_message(true, '', repeat('x', 40000000))";
      await expect(client.query(log)).rejects.toThrow();
      await until('database-full');
      await disk.empty();
      await until('up');
      while (server.refusal !== undefined) await delay(20);
    });
  },
);
