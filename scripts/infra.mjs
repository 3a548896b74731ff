/**
 * `npm run infra -- setup | up | down | status`: real Kafka, Redis and PostgreSQL without Docker.
 * docs/development.md, "Servers for tests"
 */
import { install } from './steps/install.mjs';
import { requireNode } from './steps/node-version.mjs';

requireNode();
// On standard error, for `status --env` is read by programs.
if (!(await install((line) => console.error(`curtail: ${line}`)))) process.exit(1);

await import('../test/support/typescript.mjs');
const { infraCommand } = await import('./infra/command/command.ts');
process.exitCode = await infraCommand(process.argv.slice(2));
