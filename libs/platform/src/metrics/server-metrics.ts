import { Gauge, type Registry } from 'prom-client';

/** The servers that the process needs, asked when its metrics are read. */
export function serverMetrics(registers: Registry[]) {
  let ask: () => Promise<ReadonlyMap<string, boolean>> = async () => new Map();
  new Gauge({
    name: 'curtail_server_down',
    help: '1 for a server that does not do what this process needs of it, or does not answer, else 0; by server, as in /readyz: database, kafka, redis, kubernetes.',
    labelNames: ['server'],
    registers,
    async collect() {
      const servers = await ask();
      this.reset();
      for (const [server, isDown] of servers) this.set({ server }, isDown ? 1 : 0);
    },
  });
  return {
    /** @param asking whether each server is down, by name; never rejects, and within the time that a scrape may take. */
    askWith(asking: () => Promise<ReadonlyMap<string, boolean>>): void {
      ask = asking;
    },
  };
}
