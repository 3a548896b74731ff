import { availableParallelism, totalmem } from 'node:os';

/** The parts, in the order in which they run. Each is imported when it is its turn: none runs with the garbage of another. */
const parts: Record<string, () => Promise<void>> = {
  planning: async () => (await import('./planning.js')).benchPlanning(),
  realistic: async () => {
    (await import('./planning.js')).benchRealistic();
    (await import('./rounds.js')).benchRealisticRounds();
  },
  cliffs: async () => (await import('./cliffs.js')).benchCliffs(),
  care: async () => (await import('./care.js')).benchCare(),
  'fair-share': async () => (await import('./fair-share.js')).benchFairShare(),
  rounds: async () => (await import('./rounds.js')).benchRounds(),
  reading: async () => (await import('./reading.js')).benchReading(),
  cli: async () => (await import('./cli.js')).benchCommandLine(),
  start: async () => (await import('./start.js')).benchStart(),
  leases: async () => (await import('./leases.js')).benchLeases(),
  chain: async () => (await import('./chain.js')).benchChain(),
  timers: async () => (await import('./service/timers.js')).benchTimers(),
  due: async () => (await import('./service/due.js')).benchDue(),
  evictions: async () => (await import('./service/evictions.js')).benchEvictions(),
  configurations: async () => (await import('./service/configurations.js')).benchConfigurations(),
  answers: async () => (await import('./service/answers.js')).benchAnswers(),
  brake: async () => (await import('./service/brake.js')).benchBrake(),
  idle: async () => (await import('./service/idle.js')).benchIdle(),
  kubernetes: async () => (await import('./kubernetes/main.js')).benchKubernetes(),
  'kafka-clients': async () => (await import('./kafka-clients.js')).benchKafkaClients(),
  yarn: async () => (await import('./yarn/main.js')).benchYarn(),
  ytsaurus: async () => (await import('./ytsaurus/main.js')).benchYtsaurus(),
  replay: async () => (await import('./replay.js')).benchReplay(),
};

/** They need Go, or a newer Node and a broker, and minutes. */
const onlyNamed = new Set(['kubernetes', 'kafka-clients']);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
  process.exitCode = 2;
} else {
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB of memory`,
  );
  for (const [name, run] of Object.entries(parts)) {
    if (wanted.includes(name) || (wanted.length === 0 && !onlyNamed.has(name))) await run();
  }
}
