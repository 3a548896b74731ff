import { openDatabase } from '#event-store';
import { byTest, replaysOn } from './replays.js';

/**
 * `node --import ./test/support/typescript.mjs replay-process.ts <database>`: builds the projections, and says on a line each how
 * far it is. For tests that kill it.
 */
const db = await openDatabase(process.argv[2]!);
const running = await replaysOn(db).begin('projections', {}, byTest);
let reported = -1;
const timer = setInterval(() => {
  if (running.done === reported) return;
  reported = running.done;
  process.stdout.write(`${reported}\n`);
}, 1);
await running.finished.finally(() => clearInterval(timer));
process.stdout.write('done\n');
await db.destroy();
