// Started without any words, as a service is, it runs everything.
if (process.argv.length === 2) process.argv.push('start');
await import('./cli/main.js');
