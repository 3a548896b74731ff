import './typescript.mjs';

/**
 * `node relay-main.mjs <database url> <prefix>`: a relay in a process of its own, for tests that freeze or kill the process. Says
 * on a line of its own when it begins to lead, and how many events it has published.
 */
const { TestKafka } = await import('./kafka.ts');
const [url, prefix] = process.argv.slice(2);
const progress = (line) => process.stdout.write(`${line}\n`);
await new TestKafka(prefix).relay(url, {
  pageSize: 20,
  onLead: (leads) => progress(leads ? 'leads' : 'follows'),
  onPublished: (events) => progress(`published ${events}`),
});
