import './typescript.mjs';

/**
 * `node start-postgres.mjs <data folder>`: starts a server as a service would, states where on one
 * line, and waits to be ended. For tests that kill the process that owns a server.
 */
const { startEmbeddedPostgres } = await import('../../libs/platform/src/postgres/index.ts');
const { url, pid, stop } = await startEmbeddedPostgres({ dataDir: process.argv[2], durable: true });
process.on('SIGTERM', () => stop().finally(() => process.exit(0)));
process.stdin.resume();
process.stdout.write(`${JSON.stringify({ url, pid })}\n`);
