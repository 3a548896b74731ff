// Without arguments, as a service is started, it runs everything.
if (process.argv.length === 2) process.argv.push('start');
await import('./cli/main.js');
